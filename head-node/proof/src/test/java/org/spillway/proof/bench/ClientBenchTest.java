package org.spillway.proof.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cli.CliFailure;
import org.spillway.head.rest.FakeHead;
import org.spillway.head.rest.RestServer;
import picocli.CommandLine;

/** The programs of {@code bench client}, and what it says where it cannot measure. */
final class ClientBenchTest {
    @TempDir
    Path folder;

    @Test
    void programsSubmitAsManyJobsAsTheyAreToldEachUnderItsOwnKey() throws Exception {
        var head = new FakeHead();
        Path place = Files.createTempDirectory("spw");
        try (var ignored = RestServer.start(place.resolve("s"), "600", head)) {
            var run = new SocketSubmitters(place.resolve("s")).run(3, 11);
            assertThat(head.jobs).hasSize(11);
            assertThat(head.keys).hasSize(11);
            assertThat(run.seconds()).isPositive();
            assertThat(run.millis().median()).isLessThanOrEqualTo(run.millis().p95());
        }
        assertThatThrownBy(() -> new SocketSubmitters(place.resolve("s")).run(1, 1))
                .isInstanceOf(IOException.class);
        Files.delete(place);
    }

    @Test
    void withoutSlurmOrItsLabNothingIsComparedAndTheReasonIsSaid() {
        assertThat(SlurmLab.missing(folder.resolve("spillway")).orElseThrow())
                .matches("Slurm is not installed \\(.*\\)|labs/slurm is not beside the launcher");
    }

    @ParameterizedTest
    @CsvSource({"client,2501,1 to 2500", "submit,100001,1 to 100000", "client,0,1 to 2500"})
    void moreThanOneUserMayHaveIsNotMeasured(String what, String count, String allowed) {
        var line = new CommandLine(new BenchCommand());
        line.setExecutionExceptionHandler((failure, command, result) -> {
            assertThat(failure).isInstanceOf(CliFailure.class).hasMessageEndingWith("--count " + allowed);
            return ((CliFailure) failure).exitCode();
        });
        assertThat(line.execute(what, "--count", count)).isEqualTo(CliFailure.BAD_INPUT);
    }
}
