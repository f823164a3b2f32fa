package org.spillway.proof.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.cli.CliFailure;
import picocli.CommandLine;

class BenchTest {
    private static final BenchReport REPORT = new BenchReport(
            new Machine(2, 8L << 30, "25.0.1", 0.5),
            List.of(
                    Figure.below(0.5, "start.median", 0.25, "s", "20 runs"),
                    Figure.below(250, "idle.resident", 300, "MiB", "once"),
                    Figure.plain("submit.rate", 123.4, "jobs/s", "200 submits")));

    @Test
    void medianAndNinetyFifth() {
        assertThat(Samples.of(List.of(3.0, 1.0, 2.0)).median()).isEqualTo(2);
        assertThat(Samples.of(List.of(4.0, 1.0, 2.0, 3.0)).median()).isEqualTo(2.5);
        var twenty = java.util.stream.IntStream.rangeClosed(1, 20)
                .mapToObj(i -> (double) i)
                .toList();
        assertThat(Samples.of(twenty).p95()).isEqualTo(19);
        assertThat(Samples.of(List.of(7.0)).p95()).isEqualTo(7);
        assertThatThrownBy(() -> Samples.of(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theTargetItselfIsMissed() {
        assertThat(Figure.below(2, "a", 2, "%", "").verdict()).isEqualTo("missed");
        assertThat(Figure.below(2, "a", 1.99, "%", "").verdict()).isEqualTo("met");
        assertThat(Figure.plain("a", 1, "%", "").verdict()).isEmpty();
        assertThat(REPORT.allMet()).isFalse();
    }

    @Test
    void isolationIsHeldToWhatItAdds() {
        List<Figure> figures = IsolationBench.figures(
                Map.of("start", List.of(60.0, 50.0, 55.0), "cpu", List.of(103.0), "disk", List.of(200.0)),
                Map.of("start", List.of(30.0, 20.0, 25.0), "cpu", List.of(100.0), "disk", List.of(100.0)));
        assertThat(figures.stream().map(Figure::verdict))
                .containsExactly("", "", "missed", "", "", "met", "", "", "missed");
        assertThat(figures.get(2).value()).isEqualTo(30);
        assertThat(figures.getLast().value()).isEqualTo(2);
    }

    @Test
    void thePlannersLines() throws Exception {
        assertThat(PlannerBench.figures(
                        List.of("planner.tick.p95\t0.5\ts\t1\t40 ticks", "planner.growth.jobs\t0.1\t\t\tfit")))
                .containsExactly(
                        Figure.below(1, "planner.tick.p95", 0.5, "s", "40 ticks"),
                        Figure.plain("planner.growth.jobs", 0.1, "", "fit"));
        assertThatThrownBy(() -> PlannerBench.figures(List.of())).hasMessage("nothing was measured");
        assertThatThrownBy(() -> PlannerBench.figures(List.of("SLF4J: no"))).hasMessageContaining("not a figure");
    }

    @Test
    void table() {
        assertThat(REPORT.table().lines())
                .containsExactly(
                        "FIGURE         TARGET     MEASURED    VERDICT  HOW",
                        "start.median   < 0.500 s  0.250 s     met      20 runs",
                        "idle.resident  < 250 MiB  300 MiB     missed   once",
                        "submit.rate    -          123 jobs/s  -        200 submits",
                        "machine: 2 cores, 8.0 GiB memory, Java 25.0.1, load 0.50 before");
    }

    @Test
    void json() throws Exception {
        var tree = JsonMapper.builder().build().readTree(REPORT.json());
        assertThat(tree.path("schema").asInt()).isEqualTo(1);
        assertThat(tree.path("machine").path("memoryBytes").asLong()).isEqualTo(8L << 30);
        var first = tree.path("figures").path(0);
        assertThat(first.path("name").asText()).isEqualTo("start.median");
        assertThat(first.path("value").asDouble()).isEqualTo(0.25);
        assertThat(first.path("target").asDouble()).isEqualTo(0.5);
        assertThat(first.path("verdict").asText()).isEqualTo("met");
        assertThat(tree.path("figures").path(2).path("target").isNull()).isTrue();
    }

    @Test
    void processTimesBehindANameWithBlanksAndBrackets() {
        assertThat(Benchmarks.cpuTicks("42 (a) b (c) S 1 42 42 0 -1 4194560 100 0 0 0 30 12 0 0 20 0 1 0 5 6 7"))
                .isEqualTo(42);
    }

    @Test
    void memoryFields() throws Exception {
        assertThat(Machine.memoryBytes("VmPeak:\t  9 kB\nVmRSS:\t  146580 kB\n", "VmRSS"))
                .isEqualTo(146580L * 1024);
        assertThatThrownBy(() -> Machine.memoryBytes("VmPeak: 9 kB\n", "VmRSS")).hasMessageContaining("VmRSS");
    }

    @Test
    void findsOnlyProcessesThatNameTheFolder() throws Exception {
        assertThat(HeadUnderTest.processesOf(Path.of("/nowhere/spillway-bench-none")))
                .isEmpty();
    }

    @Test
    void refusesWhatItCannotMeasure() {
        var line = new CommandLine(new BenchCommand());
        line.setExecutionExceptionHandler((failure, command, result) -> {
            assertThat(failure).isInstanceOf(CliFailure.class).hasMessageContaining("'speed' cannot be measured");
            return ((CliFailure) failure).exitCode();
        });
        assertThat(line.execute("speed")).isEqualTo(CliFailure.BAD_INPUT);
    }
}
