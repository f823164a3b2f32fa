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
        assertThat(one.parts(2).stream().map(List::size)).containsExactly(2, 1);
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
        var figures = new StageFigures(
                        Map.of("files", List.of(1.0, 9.0, 2.0), "files.rsync", List.of(4.0, 4.0, 4.0)), 100, null)
                .all("rsync 3", "");
        assertThat(figures).extracting(Figure::name).contains("stage.files", "stage.files.ratio", "stage.cpu.head");
        assertThat(figures.get(0).value()).isEqualTo(2);
        assertThat(figures.get(2).value()).isEqualTo(0.5);
        assertThat(figures.get(2).verdict()).isEqualTo("met");
    }

    /** 100 files go with a large one of 10 MB, which are 0.08 s of 1 Gbit/s. */
    @Test
    void overALineTheTargetsAreOthers() {
        var measured = Map.of(
                "files", List.of(4.4),
                "files.rsync", List.of(10.0),
                "files.four", List.of(4.0),
                "large", List.of(0.1),
                "large.sent", List.of(0.085));
        var figures = new StageFigures(measured, 100, LinkShape.of("40ms,1Gbit")).all("rsync 3", "");
        assertThat(verdicts(figures, "stage.files.ratio")).containsExactly("met");
        assertThat(verdicts(figures, "stage.files.four.ratio")).containsExactly("missed");
        assertThat(verdicts(figures, "stage.large.wire")).containsExactly("missed");
        assertThat(verdicts(figures, "stage.large.sent.wire")).containsExactly("met");
    }

    private static List<String> verdicts(List<Figure> figures, String name) {
        return figures.stream()
                .filter(figure -> figure.name().equals(name))
                .map(Figure::verdict)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stage --link 40ms|--link: '40ms' is no link: it has a delay and a rate, such as 40ms,1Gbit",
                "stage --link 3000ms,1Gbit|--link: a link has 0 to 2000 ms, and 1 Mbit to 100 Gbit a second",
                "idle --link 40ms,1Gbit|--link goes with stage and reach only"
            })
    void aLinkThatIsNoneIsRefused(String words, String message) {
        var line = new CommandLine(new BenchCommand());
        line.setExecutionExceptionHandler((failure, command, result) -> {
            assertThat(failure).isInstanceOf(CliFailure.class).hasMessage(message);
            return ((CliFailure) failure).exitCode();
        });
        assertThat(line.execute(words.split(" "))).isEqualTo(CliFailure.BAD_INPUT);
    }

    @Test
    void whatCameToNodesIsTheMost() {
        var figures = new StageFigures(Map.of("alike", List.of(1.0, 2.0, 1.0)), 100, null).all("", "");
        assertThat(figures)
                .filteredOn(figure -> figure.name().equals("stage.alike"))
                .extracting(Figure::value)
                .containsExactly(2.0);
    }

    @Test
    void whereNothingIsComparedTheReasonIsAFigureToo() {
        var figures = new StageFigures(Map.of("files", List.of(1.0)), 100, null).all("", "rsync is not installed");
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
