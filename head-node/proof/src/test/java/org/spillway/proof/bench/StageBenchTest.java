package org.spillway.proof.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cli.CliFailure;
import picocli.CommandLine;

/** The data of {@code bench stage}, and what it says. */
class StageBenchTest {
    @TempDir
    Path place;

    @Test
    void aTreeIsTheSameForTheSameSeedAndOneFileInAHundredChanges() throws Exception {
        var one = new StageTree(place.resolve("one"), 250);
        var other = new StageTree(place.resolve("other"), 250);
        assertThat(one.write(1)).isEqualTo(other.write(1));
        assertThat(StageTree.areSame(one.folder(), other.folder())).isTrue();
        one.change(1);
        assertThat(StageTree.areSame(one.folder(), other.folder())).isFalse();
        assertThat(Files.mismatch(one.file(200), other.file(200))).isNotNegative();
        assertThat(Files.mismatch(one.file(201), other.file(201))).isNegative();
        other.change(1);
        assertThat(StageTree.areSame(one.folder(), other.folder())).isTrue();
        Files.delete(other.file(3));
        assertThat(StageTree.areSame(one.folder(), other.folder())).isFalse();
        StageTree.delete(place.resolve("one"));
        assertThat(one.folder()).doesNotExist();
    }

    @Test
    void figuresAreMediansAndTheirRatioToRsync() {
        var figures = StageBench.figures(
                Map.of("files", List.of(1.0, 9.0, 2.0), "files.rsync", List.of(4.0, 4.0, 4.0)), 100, "rsync 3", "");
        assertThat(figures).extracting(Figure::name).contains("stage.files", "stage.files.ratio", "stage.cpu.head");
        assertThat(figures.get(0).value()).isEqualTo(2);
        assertThat(figures.get(2).value()).isEqualTo(0.5);
        assertThat(figures.get(2).verdict()).isEqualTo("met");
    }

    @Test
    void whatCameToNodesIsTheMost() {
        var figures = StageBench.figures(Map.of("alike", List.of(1.0, 2.0, 1.0)), 100, "", "");
        assertThat(figures)
                .filteredOn(figure -> figure.name().equals("stage.alike"))
                .extracting(Figure::value)
                .containsExactly(2.0);
    }

    @Test
    void whereNothingIsComparedTheReasonIsAFigureToo() {
        var figures = StageBench.figures(Map.of("files", List.of(1.0)), 100, "", "rsync is not installed");
        assertThat(figures).extracting(Figure::name).doesNotContain("stage.files.ratio");
        assertThat(figures.getLast().how()).isEqualTo("NOT COMPARED: rsync is not installed");
    }

    @ParameterizedTest
    @CsvSource({"0", "101"})
    void asManyRoundsAsCanBeWaitedFor(String rounds) {
        var line = new CommandLine(new BenchCommand());
        line.setExecutionExceptionHandler((failure, command, result) -> {
            assertThat(failure).isInstanceOf(CliFailure.class).hasMessage("--rounds takes 1 to 100");
            return ((CliFailure) failure).exitCode();
        });
        assertThat(line.execute("stage", "--rounds", rounds)).isEqualTo(CliFailure.BAD_INPUT);
    }
}
