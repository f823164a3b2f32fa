package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Read as slurmctld (22.05, 24.11) writes it. */
final class OpenModesTest {
    @TempDir
    Path state;

    private boolean adds(String append, String... variables) throws IOException {
        Path folder = Files.createDirectories(state.resolve("hash.3/job.33"));
        var bytes = new ByteArrayOutputStream();
        bytes.write(new byte[] {(byte) variables.length, 0, 0, 0});
        for (String variable : variables) {
            bytes.write((variable + "\0").getBytes(StandardCharsets.UTF_8));
        }
        Files.write(folder.resolve("environment"), bytes.toByteArray());
        return OpenModes.of("JobFileAppend           = " + append + "\nStateSaveLocation       = " + state + "\n")
                .adds(33);
    }

    @Test
    void itIsWhatSbatchHasSaidInTheJobsEnvironment() throws IOException {
        assertThat(adds("0", "HOME=/home/ann", "SLURM_OPEN_MODE=a", "X=y")).isTrue();
        assertThat(adds("0", "SLURM_OPEN_MODE=a")).isTrue();
        assertThat(adds("1", "HOME=/home/ann", "SLURM_OPEN_MODE=t")).isFalse();
        assertThat(adds("0", "HOME=/home/ann")).isFalse();
        assertThat(adds("1", "HOME=/home/ann")).isTrue();
        assertThat(adds("0", "MY_SLURM_OPEN_MODE=a", "X= SLURM_OPEN_MODE=a")).isFalse();
    }

    @Test
    void whereItIsNotKnownNobodyLosesLines() {
        assertThat(OpenModes.of("JobFileAppend = 0\nStateSaveLocation = " + state + "\n")
                        .adds(33))
                .isTrue();
        assertThat(OpenModes.of("JobFileAppend = 0\n").adds(33)).isTrue();
    }

    @Test
    void whereSbatchSaysNothingTheFilterDoes() {
        String line = JobBookScene.DETAIL;
        assertThat(said(line)).isEmpty();
        assertThat(said(line.replace(" StdOut=", " Extra=spillway-open-mode:append StdOut=")))
                .hasValue(true);
        assertThat(said(line.replace(" StdOut=", " Extra=spillway-open-mode:truncate StdOut=")))
                .hasValue(false);
        assertThat(said(line.replace(" StdOut=", " Extra=rack=4 StdOut="))).isEmpty();
        String twice = " Extra=x Extra=spillway-open-mode:append StdOut=";
        assertThat(said(line.replace(" StdOut=", twice)))
                .as("a text that may be its user's")
                .isEmpty();
    }

    private static Optional<Boolean> said(String line) {
        return JobDetail.parse("12", line).orElseThrow().asked().adds();
    }
}
