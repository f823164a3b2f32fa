package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** I1, I4: a job on a real node gets what it asked for and no more, and nothing of it is left at its end. */
@Tag("processes")
final class NodeCageTest extends OnNodes {
    static final String ALL = "memory, CPUs, number of processes, and their end; own files, processes and devices";
    private static final long MIB = 1024 * 1024;

    private String isolation() throws Exception {
        return site.sync().nodes().getFirst().gate().stream()
                .filter(check -> check.name().startsWith(Isolation.CHECK))
                .map(Report.GateCheck::detail)
                .findFirst()
                .orElseThrow();
    }

    /** A node whose kernel lets it isolate; elsewhere these tests say nothing. */
    private TestInstance isolating(String id) throws Exception {
        assumeTrue(TestNodes.ROOT);
        TestInstance instance = nodes.ready(id);
        assumeTrue(isolation().equals(ALL), isolation());
        return instance;
    }

    private void order(String job, TestInstance instance, JobOrder.Share share, String script) {
        OrderDraft draft = nodes.draft(job, instance, script);
        draft.share = share;
        site.jobs.put(job, draft.order());
    }

    @Test
    void aNodeSaysWhetherItCanIsolate() throws Exception {
        nodes.ready("says");
        assertThat(isolation()).matches("(cgroups here: |own |cgroups: ).+|" + ALL);
    }

    @Test
    void aJobOverItsMemoryIsKilledAndToldAndTheNodeGoesOn() throws Exception {
        TestInstance instance = isolating("mem");
        order("m1", instance, new JobOrder.Share(1, 64 * MIB, 0), "head -c 600M /dev/zero | tail -c 500M >/dev/null\n");
        JobReport report = site.untilPhase("m1", Phase.ENDED);
        assertThat(report.exitCode()).isEqualTo(137);
        assertThat(report.message()).contains("it used more than its 64 MiB of memory: the kernel killed");
        nodes.order("m2", instance, "echo fine\n");
        assertThat(site.untilPhase("m2", Phase.ENDED).exitCode()).isZero();
    }

    @Test
    void processesThatForkedTwiceWithAnEmptyEnvironmentAreGoneAtTheEnd() throws Exception {
        TestInstance instance = isolating("left");
        String seconds = "98765." + ProcessHandle.current().pid();
        String script = """
                env -i setsid sh -c '(setsid sleep SECONDS >/dev/null 2>&1 & echo $!) >left' </dev/null
                while [ ! -s left ]; do sleep 0.1; done
                kill -0 "$(cat left)" && echo lives
                """.replace("SECONDS", seconds);
        order("l1", instance, new JobOrder.Share(1, 0, 0), script);
        assertThat(site.untilPhase("l1", Phase.ENDED).exitCode()).isZero();
        var results = site.results("l1", "n-" + instance.id);
        assertThat(results).containsEntry(".spillway/stdout", "lives\n");
        assertThat(TestNodes.runs(seconds)).isFalse();
        assertThat(groups(instance, "l1.1")).isEmpty();
    }

    @Test
    void cpusAndProcessesAreBounded() throws Exception {
        TestInstance instance = isolating("cpu");
        order("c1", instance, new JobOrder.Share(2, 0, 0), "while [ ! -e go ]; do sleep 0.1; done\n");
        site.untilPhase("c1", Phase.RUNNING);
        List<String> bounds = groups(instance, "c1.1").stream()
                .flatMap(group -> Stream.of("cpu.max", "cpu.cfs_quota_us", "pids.max")
                        .map(group::resolve)
                        .filter(Files::exists))
                .map(NodeCageTest::text)
                .toList();
        assertThat(bounds).contains("6144").anyMatch(text -> text.equals("200000") || text.equals("200000 100000"));
        Files.writeString(instance.disk.resolve("work/c1.1/go"), "");
        assertThat(site.untilPhase("c1", Phase.ENDED).exitCode()).isZero();
    }

    @Test
    void gpusAreGivenByIndexAndNoTwoJobsShareOne() throws Exception {
        TestInstance instance = nodes.instance("gpu");
        Files.writeString(instance.disk.resolve("gpus"), "3\n");
        instance.boot(site.userData());
        site.untilReady(instance.id);
        assumeTrue(isolation().equals(ALL), isolation());
        String script = """
                echo "[$CUDA_VISIBLE_DEVICES][$ROCR_VISIBLE_DEVICES][$SPILLWAY_GPUS]" /dev/nvidia*
                while [ ! -e GO ]; do sleep 0.1; done
                """.replace("GO", folder.resolve("go").toString());
        order("g1", instance, new JobOrder.Share(1, 0, 1), script);
        site.untilPhase("g1", Phase.RUNNING);
        order("g2", instance, new JobOrder.Share(1, 0, 2), script);
        order("g0", instance, new JobOrder.Share(1, 0, 0), script);
        site.untilPhase("g2", Phase.RUNNING);
        order("g3", instance, new JobOrder.Share(1, 0, 1), script);
        assertThat(site.untilPhase("g3", Phase.REFUSED).message()).contains("1 of the 3 GPUs here are not free");
        Files.writeString(folder.resolve("go"), "");
        folder.resolve("go").toFile().setReadable(true, false);
        for (String job : List.of("g0", "g1", "g2")) {
            site.untilPhase(job, Phase.ENDED);
        }
        assertThat(nodes.stdout("g1", instance)).isEqualTo("[0][0][0] /dev/nvidia0\n");
        assertThat(nodes.stdout("g2", instance)).isEqualTo("[0,1][0,1][1,2] /dev/nvidia1 /dev/nvidia2\n");
        assertThat(nodes.stdout("g0", instance)).isEqualTo("[][][] /dev/nvidia*\n");
        order("g4", instance, new JobOrder.Share(1, 0, 3), script);
        site.untilPhase("g4", Phase.ENDED);
        assertThat(nodes.stdout("g4", instance))
                .isEqualTo("[0,1,2][0,1,2][0,1,2] /dev/nvidia0 /dev/nvidia1 /dev/nvidia2\n");
    }

    private static List<Path> groups(TestInstance instance, String name) throws IOException {
        return Files.readAllLines(instance.disk.resolve("spillway/cages")).stream()
                .map(folder -> Path.of(folder, name))
                .filter(Files::isDirectory)
                .toList();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new AssertionError(file.toString(), e);
        }
    }
}
