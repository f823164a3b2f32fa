package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport.Phase;

/** I4: processes that the kernel does not end, a machine that has half of its cgroups, and who goes when memory is short. */
@Tag("processes")
final class NodeStuckTest extends OnNodes {
    private static final Path FREEZER = Path.of("/sys/fs/cgroup/freezer");

    private List<Report.GateCheck> gate() throws Exception {
        return site.sync().nodes().getFirst().gate();
    }

    private void order(String job, TestInstance instance, int gpus, String script) {
        OrderDraft draft = nodes.draft(job, instance, script);
        draft.share = new JobOrder.Share(1, 0, gpus);
        site.jobs.put(job, draft.order());
    }

    /** In a freezer a process is as one in an uninterruptible call: a signal waits. */
    @Test
    void whatCannotBeEndedIsToldKeepsItsGpuAndHoldsUpNobody() throws Exception {
        assumeTrue(TestNodes.ROOT && Files.isDirectory(FREEZER), "no freezer here");
        TestInstance instance = nodes.instance("stuck");
        Files.writeString(instance.disk.resolve("gpus"), "1\n");
        instance.boot(site.userData());
        site.untilReady(instance.id);
        assumeTrue(gate().stream().anyMatch(check -> check.detail().equals(NodeCageTest.ALL)), "no isolation here");
        Path ice = Files.createDirectories(FREEZER.resolve("spillway-" + instance.id));
        try {
            Path go = folder.resolve("go");
            order("ice", instance, 1, "sleep 76541 & while [ ! -e " + go + " ]; do sleep 0.1; done\nexit 3\n");
            site.untilPhase("ice", Phase.RUNNING);
            TestNodes.await("it sleeps", () -> TestNodes.runs("sleep\00076541"));
            long sleeper = ProcessHandle.allProcesses()
                    .filter(process -> words(process).contains("sleep\00076541"))
                    .findFirst()
                    .orElseThrow()
                    .pid();
            Files.writeString(ice.resolve("cgroup.procs"), Long.toString(sleeper));
            Files.writeString(ice.resolve("freezer.state"), "FROZEN");
            Files.writeString(go, "");
            var report = site.untilPhase("ice", Phase.ENDED);
            assertThat(report.exitCode()).isEqualTo(3);
            assertThat(report.message()).contains("of its processes cannot be ended");
            assertThat(gate())
                    .anyMatch(check -> check.name().equals(Isolation.LEFT)
                            && !check.passed()
                            && check.detail().contains("of ice cannot be ended"));
            site.jobs.remove("ice");
            order("next", instance, 1, "echo fine\n");
            assertThat(site.untilPhase("next", Phase.REFUSED).message()).contains("1 of the 1 GPUs here are not free");
            order("none", instance, 0, "echo fine\n");
            assertThat(site.untilPhase("none", Phase.ENDED).exitCode()).isZero();
        } finally {
            Files.writeString(ice.resolve("freezer.state"), "THAWED");
            TestNodes.await("it is gone", () -> !TestNodes.runs("sleep\00076541"));
            TestNodes.await("the folder goes with it", () -> ice.toFile().delete() || !Files.exists(ice));
        }
        site.until(
                "told no more",
                report -> report.nodes().getFirst().gate().stream()
                        .noneMatch(check -> check.name().equals(Isolation.LEFT)));
        order("after", instance, 1, "echo /dev/nvidia*\n");
        assertThat(site.untilPhase("after", Phase.ENDED).exitCode()).isZero();
        assertThat(nodes.stdout("after", instance)).isEqualTo("/dev/nvidia0\n");
    }

    @Test
    void aMachineWithHalfItsCgroupsUsesThatHalfAndSaysWhatIsMissing() throws Exception {
        assumeTrue(TestNodes.ROOT && Files.isDirectory(Path.of("/sys/fs/cgroup/memory")), "not of version 1 here");
        site.isolation = Isolation.PREFERRED;
        TestInstance instance = nodes.instance(
                "half", "unshare", "-m", "sh", "-c", "umount /sys/fs/cgroup/memory && exec \"$@\"", "hide");
        instance.boot(site.userData());
        site.untilReady(instance.id);
        assertThat(gate())
                .anyMatch(check ->
                        check.name().equals(Isolation.LACKS) && check.detail().startsWith("cgroups here: no memory"));
        Path left = Files.writeString(folder.resolve("left"), "");
        left.toFile().setWritable(true, false);
        order("half", instance, 0, """
                env -i setsid sh -c 'exec sleep 76542 >/dev/null 2>&1' </dev/null &
                cat /proc/self/oom_score_adj
                echo 0 >/proc/self/oom_score_adj || echo kept
                """);
        assertThat(site.untilPhase("half", Phase.ENDED).exitCode()).isZero();
        assertThat(TestNodes.runs("sleep\00076542")).isFalse();
        // Only what a root with CAP_SYS_RESOURCE has said stays: a sandbox may keep that right from its root.
        assertThat(nodes.stdout("half", instance)).isEqualTo(mayBindMemory() ? "500\nkept\n" : "500\n");
        long agent = Long.parseLong(
                Files.readString(instance.disk.resolve("spillway/lease.pid")).strip());
        assertThat(Integer.parseInt(Files.readString(Path.of("/proc", Long.toString(agent), "oom_score_adj"))
                        .strip()))
                .isLessThan(500);
    }

    private static boolean mayBindMemory() throws IOException {
        String rights = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("CapEff:"))
                .findFirst()
                .orElseThrow();
        return (Long.parseLong(rights.substring("CapEff:".length()).strip(), 16) >> 24 & 1) == 1;
    }

    private static String words(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
        } catch (IOException gone) {
            return "";
        }
    }
}
