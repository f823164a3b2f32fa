package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** A node that falls sick says so, at its gate and while it serves. */
@Tag("processes")
final class NodeHealthTest extends OnNodes {
    private static boolean says(Report report, TestInstance instance, boolean passed, String detail) {
        return report.nodes().stream()
                .filter(node -> node.node().equals("n-" + instance.id))
                .flatMap(node -> node.gate().stream())
                .anyMatch(check -> check.name().equals(Report.GateCheck.HEALTH)
                        && check.passed() == passed
                        && check.detail().contains(detail));
    }

    @Test
    void aGpuThatFallsOffTheBusIsToldWhileTheJobGoesOn() throws Exception {
        TestInstance instance = nodes.ready("fit");
        assertThat(says(site.sync(), instance, true, "well")).isTrue();
        nodes.order("long", instance, "echo began; sleep 12; echo done");
        site.untilPhase("long", Phase.RUNNING);
        Files.writeString(instance.disk.resolve("kmsg"), "[ 7.0] NVRM: Xid (PCI:0000:1a:00): 79, GPU is lost\n");
        nodes.order("short", instance, "exit 0");
        site.untilPhase("short", Phase.ENDED);
        site.until("sick", report -> says(report, instance, false, "xids: [ 7.0] NVRM: Xid"));
        JobReport ended = site.untilPhase("long", Phase.ENDED);
        assertThat(ended.exitCode()).as(instance.console()).isZero();
        assertThat(nodes.stdout("long", instance)).endsWith("done\n");
    }

    @Test
    void aSickMachineDoesNotPassItsGateAndDoesWhenItIsWell() throws Exception {
        TestInstance instance = nodes.instance("sick");
        Path kernel = instance.disk.resolve("kmsg");
        Files.writeString(kernel, "[ 7.0] NVRM: Xid (PCI:0000:1a:00): 79, GPU is lost\n");
        instance.boot(site.userData());
        Report report = site.until("sick", heard -> says(heard, instance, false, "79, GPU is lost"));
        assertThat(report.nodes()).noneMatch(Report.NodeReport::ready);
        Files.delete(kernel);
        site.untilReady(instance.id);
        assertThat(says(site.sync(), instance, true, "well")).isTrue();
    }
}
