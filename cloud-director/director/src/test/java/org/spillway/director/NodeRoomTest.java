package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport.Phase;

/** I1: jobs on a real node have files, processes and devices of their own, and a node that cannot do that says so. */
@Tag("processes")
final class NodeRoomTest extends OnNodes {
    private List<Report.GateCheck> isolation() throws Exception {
        return site.sync().nodes().getFirst().gate().stream()
                .filter(check -> check.name().startsWith(Isolation.CHECK))
                .toList();
    }

    /** A node whose kernel lets it isolate; elsewhere these tests say nothing. */
    private TestInstance isolating(String id) throws Exception {
        assumeTrue(TestNodes.ROOT);
        TestInstance instance = nodes.ready(id);
        assumeTrue(
                isolation().getFirst().detail().equals(NodeCageTest.ALL),
                isolation().toString());
        return instance;
    }

    private Map<String, String> run(String job, TestInstance instance, String script) throws Exception {
        nodes.order(job, instance, script);
        var report = site.untilPhase(job, Phase.ENDED);
        assertThat(report.exitCode()).as(report.message()).isZero();
        return site.results(job, "n-" + instance.id);
    }

    @Test
    void aJobSeesItsOwnProcessesAndFilesOnlyAndLeavesNone() throws Exception {
        TestInstance instance = isolating("own");
        String probe = "spillway-probe-" + ProcessHandle.current().pid();
        Path outside = Files.writeString(Path.of("/tmp", probe), "host");
        try {
            nodes.order("a", instance, "sleep 60 & echo a >/tmp/a; echo a >/var/tmp/a; echo a >/dev/shm/a; wait\n");
            site.untilPhase("a", Phase.RUNNING);
            String script = """
                    mkdir results
                    ls -A /tmp /var/tmp /dev/shm >results/seen
                    for each in /proc/[0-9]*; do tr '\\0' ' ' <"$each/cmdline"; echo; done >results/processes
                    ls -A /dev >results/devices
                    echo mine >/tmp/%1$s-mine
                    ln -s /tmp/%1$s-mine results/link
                    df /dev/shm | tail -n 1 | cut -d ' ' -f 1
                    """.formatted(probe);
            var results = run("b", instance, script);
            assertThat(results.get("results/seen")).doesNotContain(probe).doesNotContain("\na\n");
            assertThat(results.get("results/processes")).contains("script").doesNotContain("sleep 60");
            assertThat(results.get("results/devices").lines())
                    .contains("null", "zero", "urandom", "fd", "ptmx", "shm")
                    .doesNotContain("mem", "kmsg", "vda", "sda");
            assertThat(results).containsEntry("results/link", "mine\n");
            assertThat(outside).hasContent("host");
            assertThat(Path.of("/tmp", probe + "-mine")).doesNotExist();
            site.jobs.remove("a");
            site.sync();
            TestNodes.await(
                    "its folders are gone", () -> !Files.exists(instance.disk.resolve("spillway/jobs/a.1/own")));
            TestNodes.await(
                    "its folders are gone", () -> !Files.exists(instance.disk.resolve("spillway/jobs/b.1/own")));
        } finally {
            Files.delete(outside);
        }
    }

    @Test
    void signalsAndExitCodesAreAsTheyWere() throws Exception {
        TestInstance instance = isolating("sig");
        nodes.order("code", instance, "exit 7\n");
        assertThat(site.untilPhase("code", Phase.ENDED).exitCode()).isEqualTo(7);
        nodes.order("kill", instance, "kill -9 $$\n");
        assertThat(site.untilPhase("kill", Phase.ENDED).exitCode()).isEqualTo(137);
        var last = nodes.draft("last", instance, "trap 'echo bye; exit 3' TERM; : >up; sleep 60 & wait\n");
        site.jobs.put("last", last.order());
        site.untilPhase("last", Phase.RUNNING);
        TestNodes.await("it is up", () -> Files.exists(instance.disk.resolve("work/last.1/up")));
        last.cancel = true;
        site.jobs.put("last", last.order());
        assertThat(site.untilPhase("last", Phase.ENDED).exitCode()).isEqualTo(3);
        assertThat(nodes.stdout("last", instance)).isEqualTo("bye\n");
    }

    @Test
    void whatIsOffIsOff() throws Exception {
        site.isolation = Isolation.OFF;
        TestInstance instance = nodes.ready("off");
        assertThat(isolation()).containsExactly(new Report.GateCheck(Isolation.CHECK, true, "off, as configured"));
        assertThat(run("o", instance, "ls -A /dev\n").get(".spillway/stdout")).contains("\nkmsg\n");
    }

    @Test
    void aNodeThatLacksWhatIsRequiredDoesNotServeAndSaysWhy() throws Exception {
        assumeTrue(TestNodes.ROOT);
        site.isolation = Isolation.REQUIRED;
        TestInstance instance = nodes.instance("req", "unshare", "-m", "sh", "-c", HIDDEN, "hide");
        instance.boot(site.userData());
        TestNodes.await("it says so", () -> {
            try {
                return isolation().stream()
                        .anyMatch(check -> !check.passed() && check.detail().contains("cgroups here: no memory"));
            } catch (Exception notYet) {
                return false;
            }
        });
        assertThat(site.sync().nodes().getFirst().ready()).isFalse();
    }

    @Test
    void aNodeThatLacksWhatIsPreferredServesAndSaysSo() throws Exception {
        assumeTrue(TestNodes.ROOT);
        site.isolation = Isolation.PREFERRED;
        TestInstance instance = nodes.instance("pre", "unshare", "-m", "sh", "-c", HIDDEN, "hide");
        instance.boot(site.userData());
        site.untilReady(instance.id);
        assertThat(isolation())
                .singleElement()
                .satisfies(check -> assertThat(check.name()).isEqualTo(Isolation.LACKS))
                .satisfies(check -> assertThat(check.detail()).startsWith("cgroups here: no memory"));
        assertThat(run("p", instance, "echo fine\n")).containsEntry(".spillway/stdout", "fine\n");
    }

    /** A machine without cgroups. */
    private static final String HIDDEN = "umount -R /sys/fs/cgroup && exec \"$@\"";
}
