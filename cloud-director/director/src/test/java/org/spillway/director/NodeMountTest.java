package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.Directive.NodeProfile;
import org.spillway.director.wire.Mounts;
import org.spillway.director.wire.Mounts.Mount;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.GateCheck;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** Storage of a site on its nodes, from the directive to a job: real mounts, in each pretended machine's own room of mounts. */
@Tag("processes")
final class NodeMountTest extends OnNodes {
    private Path data;
    private Path kept;

    @BeforeEach
    void mountingIsForRoot() throws Exception {
        assumeTrue(TestNodes.ROOT, "mounting is for root: not looked at");
        data = folder.resolve("data");
        kept = Files.createDirectories(folder.resolve("kept"));
        kept.toFile().setExecutable(true, false);
        kept.toFile().setReadable(true, false);
        Files.writeString(kept.resolve("file"), "of the server\n").toFile().setReadable(true, false);
    }

    private Mount mount(Path at, String from, String type, String options, String category) {
        return new Mount(at.toString(), from, type, options, 5, category);
    }

    private void give(Mount... mounts) {
        site.mounts = new Mounts(Arrays.asList(mounts));
    }

    private static boolean says(Report report, TestInstance instance, String check, boolean passed, String detail) {
        return report.nodes().stream()
                .filter(node -> node.node().equals("n-" + instance.id))
                .flatMap(node -> node.gate().stream())
                .anyMatch(each -> each.name().equals(check)
                        && each.passed() == passed
                        && each.detail().contains(detail));
    }

    private String said(String job, TestInstance instance, String script) throws Exception {
        nodes.order(job, instance, script);
        var report = site.untilPhase(job, Phase.ENDED);
        assertThat(report.exitCode()).as(report.message()).isZero();
        site.jobs.remove(job);
        return nodes.stdout(job, instance);
    }

    private String look() {
        return "cat " + data + "/file; touch " + data + "/new 2>/dev/null || echo read-only\n";
    }

    @Test
    void jobsFindItInTheirRoomReadOnlyAndThisMachineDoesNot() throws Exception {
        give(mount(data, kept.toString(), "none", "bind,ro", ""));
        TestInstance instance = nodes.ready("one");
        assertThat(says(site.sync(), instance, "mounts", true, data + " from " + kept))
                .isTrue();
        assertThat(said("a", instance, look())).isEqualTo("of the server\nread-only\n");
        assertThat(data).isEmptyDirectory();
        assertThat(kept.resolve("new")).doesNotExist();
    }

    @Test
    void aServerThatHangsHoldsTheGateAndNobodyElseUntilItAnswers() throws Exception {
        give(mount(data, kept.toString(), "none", "bind", ""));
        TestInstance instance = nodes.instance("slow");
        instance.program(
                "mount",
                "#!/bin/sh\ncase $* in *" + data
                        + ") [ -e \"$SPILLWAY_INSTANCE_DIR/answers\" ] || exec sleep 1000 ;; esac\n"
                        + "exec /bin/mount \"$@\"\n");
        instance.boot(site.userData());
        Report report =
                site.until("named", heard -> says(heard, instance, "mounts", false, data + ": no answer in 5 s"));
        assertThat(report.nodes()).noneMatch(Report.NodeReport::ready);
        // The lease is renewed all the while.
        site.until("heard again", heard -> heard.nodes().stream().anyMatch(node -> node.silentSeconds() < 1));
        Files.createFile(instance.disk.resolve("answers"));
        site.untilReady(instance.id);
        assertThat(said("a", instance, "cat " + data + "/file\n")).isEqualTo("of the server\n");
    }

    /** Jobs that run go on; the next one begins elsewhere, as the node ends behind the last of them without a word of it. */
    @Test
    void aMountThatIsGoneMakesItsNodeSickAndNoJobFindsAnEmptyFolder() throws Exception {
        give(mount(data, "fresh", "tmpfs", "mode=755", ""));
        TestInstance instance = nodes.ready("gone");
        nodes.order("long", instance, "while [ ! -e " + folder + "/go ]; do sleep 0.2; done");
        site.untilPhase("long", Phase.RUNNING);
        // An administrator's mistake, on this machine.
        String agent =
                Files.readString(instance.disk.resolve("spillway/health.pid")).strip();
        assertThat(new ProcessBuilder("nsenter", "-m", "-t", agent, "umount", data.toString())
                        .start()
                        .waitFor())
                .isZero();
        nodes.order("next", instance, "ls " + data);
        site.until(
                "sick",
                heard -> says(
                        heard, instance, GateCheck.HEALTH, false, "mounts: " + data + ": it is not mounted any more"));
        assertThat(instance.poweredOff()).isFalse();
        Files.createFile(folder.resolve("go"));
        assertThat(site.untilPhase("long", Phase.ENDED).exitCode()).isZero();
        TestNodes.await("it has ended itself", instance::poweredOff);
        assertThat(instance.console()).contains("powering off: " + data + " is not mounted as it was");
        assertThat(site.sync().jobs())
                .filteredOn(job -> job.job().equals("next"))
                .singleElement()
                .extracting(JobReport::phase)
                .isEqualTo(Phase.ACCEPTED);
    }

    @Test
    void aCategoryHasItsOwnAndLeavesThem() throws Exception {
        Path other = folder.resolve("other");
        give(mount(data, kept.toString(), "none", "bind", ""), mount(other, "fresh", "tmpfs", "mode=755", "ml"));
        TestInstance instance = nodes.ready("cat");
        String look = "for each in " + data + " " + other + "; do mountpoint -q $each && echo yes || echo no; done\n";
        assertThat(said("a", instance, look)).isEqualTo("yes\nno\n");
        make(instance, 1, "ml");
        assertThat(said("b", instance, look)).isEqualTo("yes\nyes\n");
        make(instance, 2, "");
        assertThat(said("c", instance, look)).isEqualTo("yes\nno\n");
    }

    private void make(TestInstance instance, int turn, String category) throws Exception {
        String node = "n-" + instance.id;
        var profile = new NodeProfile(
                turn, site.image, List.of(), category.isEmpty() ? null : new Directive.Category(category, null));
        site.nodes.replaceAll(each -> each.node().equals(node) ? new NodeGrant(node, null, profile) : each);
        site.until(
                "turn " + turn,
                report -> says(report, instance, NodeProfile.CHECK, true, Integer.toString(turn))
                        && report.nodes().stream().allMatch(Report.NodeReport::ready));
    }
}
