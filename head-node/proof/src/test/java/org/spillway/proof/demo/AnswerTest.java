package org.spillway.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AnswerTest {
    private static final List<String> ROWS = List.of(
            "2017-09-04 10:30:41,10.5,8,84.0,aaaaaa",
            "2017-09-05 10:30:41,0.1,1,0.1,bbbbbb",
            "2017-10-05 10:30:41,3600.0,2,7200.0,aaaaaa",
            "2017-10-06 10:30:41,179.9,1,179.9,bbbbbb");

    @Test
    void sumsEachVirtualCluster() {
        Answer answer = Answer.of(ROWS);
        assertThat(answer.text()).containsExactly(Answer.HEADING, "aaaaaa,2,7284.0,2.0,8", "bbbbbb,2,180.0,0.1,1");
        assertThat(Answer.parse(answer.text())).isEqualTo(answer);
    }

    @Test
    void roundsHoursHalfUp() {
        assertThat(Answer.Line.of(1, 1799, 1).gpuHours()).isEqualTo("0.0");
        assertThat(Answer.Line.of(1, 1800, 1).gpuHours()).isEqualTo("0.1");
        assertThat(Answer.Line.of(1, 699_917_450, 1)).isEqualTo(new Answer.Line(1, "69991745.0", "19442.2", 1));
    }

    @Test
    void refusesWhatIsNoRow() {
        assertThatThrownBy(() -> Answer.of(List.of("2017-09-04 10:30:41,10.5,8,84.05,aaaaaa")))
                .hasMessageContaining("84.05");
    }

    @Test
    void anAnswerThatIsCutRepeatedOrWrongIsAnotherOne() {
        Answer answer = Answer.of(ROWS);
        List<String> twice = new ArrayList<>(answer.text());
        twice.add(twice.getLast());
        List<String> wrong = new ArrayList<>(answer.text());
        wrong.set(1, "aaaaaa,2,7284.1,2.0,8");
        assertThat(Answer.parse(answer.text().subList(0, 2))).isNotEqualTo(answer);
        assertThat(Answer.parse(twice)).isNotEqualTo(answer);
        assertThat(Answer.parse(wrong)).isNotEqualTo(answer);
        assertThat(Answer.parse(List.of()).clusters()).isEmpty();
    }

    /** The jobs' own programs, on the whole excerpt: awk and Java must agree to the last digit. */
    @Test
    void scriptsAndJavaAgree(@TempDir Path folder) throws Exception {
        WorkloadLog log = WorkloadLog.excerpt();
        assertThat(log.rows()).hasSizeGreaterThan(2000);
        assertThat(log.rows().stream().map(row -> row.substring(0, row.indexOf(','))))
                .isSorted();
        Path bin = Files.createDirectory(folder.resolve("bin"));
        for (String tool : List.of("gpu-hours", "gpu-shapes")) {
            Files.writeString(bin.resolve(tool), WorkloadLog.resource(tool + ".sh"));
            assertThat(bin.resolve(tool).toFile().setExecutable(true)).isTrue();
        }
        for (var slice : log.slices().entrySet()) {
            Path file = folder.resolve("slices").resolve(slice.getKey());
            Files.createDirectories(file.getParent());
            Files.write(file, slice.getValue());
        }
        run(folder, "hours.sh", "0", "1");
        Files.move(
                folder.resolve("hours.txt"),
                Files.createDirectory(folder.resolve("hours")).resolve("all.txt"));
        Path both = Files.createDirectory(folder.resolve("both"));
        for (String rank : List.of("0", "1")) {
            run(folder, "shapes.sh", rank, "2");
            Files.move(folder.resolve("shapes/" + rank + ".txt"), both.resolve(rank + ".txt"));
            Files.delete(folder.resolve("shapes"));
        }
        Files.move(both, folder.resolve("shapes"));
        run(folder, "merge.sh", "0", "1");
        assertThat(Files.readAllLines(folder.resolve("gpu-hours.csv")))
                .isEqualTo(Answer.of(log.rows()).text())
                .hasSize(16);
    }

    private static void run(Path folder, String script, String rank, String nodes) throws Exception {
        var builder = new ProcessBuilder("sh", "-c", WorkloadLog.resource(script))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile());
        builder.environment()
                .putAll(java.util.Map.of(
                        "PATH", folder.resolve("bin") + ":/usr/bin:/bin", "SPILLWAY_NODE", "n", "SPILLWAY_RANK", rank));
        builder.environment().put("SPILLWAY_NODES", nodes);
        Process process = builder.start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(() -> script + ": " + folder.resolve("said"))
                .isZero();
    }
}
