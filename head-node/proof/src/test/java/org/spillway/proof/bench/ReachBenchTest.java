package org.spillway.proof.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.cli.CliFailure;
import picocli.CommandLine;

/** The data of {@code bench reach}, and what it says. */
class ReachBenchTest {
    @TempDir
    Path place;

    @Test
    void aSourceIncludesHeadersOfItsOwnAndAllIsAsLongAsWasAskedFor() throws Exception {
        var tree = new ReachTree(place, 45);
        tree.write(1);
        assertThat(ReachTree.sources(45)).isEqualTo(3);
        try (Stream<Path> all = Files.walk(place)) {
            List<Path> files = all.filter(Files::isRegularFile).toList();
            assertThat(files).hasSize(45).allMatch(file -> file.toFile().length() == ReachTree.BYTES);
        }
        for (int at = 0; at < 3; at++) {
            List<String> included = Files.readAllLines(place.resolve("src/file_" + at + ".c")).stream()
                    .filter(line -> line.startsWith("#include"))
                    .toList();
            assertThat(included)
                    .hasSize(at < 2 ? 19 : 4)
                    .allMatch(line -> Files.exists(
                            place.resolve("include/" + line.substring(line.indexOf('"') + 1, line.length() - 1))));
        }
    }

    private static Map<String, List<Double>> measured() {
        Map<String, List<Double>> measured = new HashMap<>(Map.of(
                "extract", List.of(5.0, 1.0, 7.0),
                "extract.home", List.of(12.0),
                "extract.sshfs", List.of(50.0),
                "build", List.of(3.0),
                "build.in", List.of(2.0),
                "read", List.of(5.0),
                "read.in", List.of(1.0),
                "large", List.of(10.0),
                "other", List.of(3.0),
                "large.in", List.of(1.0)));
        measured.put("build.all", List.of(5.0));
        measured.put("build.in.all", List.of(4.0));
        measured.put("read.all", List.of(7.0));
        measured.put("read.in.all", List.of(3.0));
        measured.put("large.in.node", List.of(2.0));
        measured.put("other.carried", List.of(0.5));
        return measured;
    }

    private static Figure figure(List<Figure> figures, String name) {
        return figures.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The large file has 1 GB, which are eight seconds of 1 Gbit/s. */
    @Test
    void figuresAreMediansAndTheirRatios() {
        var figures = new ReachFigures(measured(), 2000, LinkShape.of("40ms,1Gbit")).all("sshfs 3", "");
        assertThat(figure(figures, "reach.extract").value()).isEqualTo(5);
        assertThat(figure(figures, "reach.extract").verdict()).isEqualTo("met");
        assertThat(figure(figures, "reach.extract.home").verdict()).isEqualTo("missed");
        assertThat(figure(figures, "reach.extract.sshfs.ratio").value()).isEqualTo(0.1);
        assertThat(figure(figures, "reach.build.work.ratio").value()).isEqualTo(1.5);
        assertThat(figure(figures, "reach.build.ratio").value()).isEqualTo(1.25);
        assertThat(figure(figures, "reach.build.ratio").verdict()).isEqualTo("met");
        assertThat(figure(figures, "reach.read.ratio").verdict()).isEqualTo("missed");
        assertThat(figure(figures, "reach.large.wire").value()).isEqualTo(1.25);
        assertThat(figure(figures, "reach.large.wire").verdict()).isEqualTo("missed");
        assertThat(figure(figures, "reach.other.local").value()).isEqualTo(1);
        assertThat(figure(figures, "reach.other.carried").verdict()).isEqualTo("met");
        assertThat(figures.getLast().how()).isNotEmpty();
        assertThat(figure(figures, "reach.peer").how()).isEqualTo("sshfs 3");
    }

    @Test
    void whereSshfsIsNotComparedTheReasonIsAFigureToo() {
        Map<String, List<Double>> alone = measured();
        alone.remove("extract.sshfs");
        var figures = new ReachFigures(alone, 200, LinkShape.of("40ms,1Gbit")).all("", "ssh is not installed");
        assertThat(figures).extracting(Figure::name).doesNotContain("reach.extract.sshfs.ratio");
        assertThat(figure(figures, "reach.peer").how()).isEqualTo("NOT COMPARED: ssh is not installed");
        assertThat(figure(figures, "reach.extract").verdict())
                .as("held to a tenth of the target for 2,000")
                .isEqualTo("missed");
    }

    @Test
    void homesOfTheConfigurationAreWithinReachBehindTheLine() throws Exception {
        assertThat(ReachBench.configuration())
                .contains("home: reach", "source: file", "sshPort: \"" + DirectorGates.PORT + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"19", "20001"})
    void asManyFilesAsMakeATree(String count) {
        var line = new CommandLine(new BenchCommand());
        line.setExecutionExceptionHandler((failure, command, result) -> {
            assertThat(failure).isInstanceOf(CliFailure.class).hasMessageEndingWith("--count 20 to 20000");
            return ((CliFailure) failure).exitCode();
        });
        assertThat(line.execute("reach", "--count", count)).isEqualTo(CliFailure.BAD_INPUT);
    }
}
