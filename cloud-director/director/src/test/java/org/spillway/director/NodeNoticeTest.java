package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** A machine that its provider takes back with notice, and what becomes of the jobs there. */
@Tag("processes")
final class NodeNoticeTest {
    private static final String COUNTS = """
            if [ -n "${SPILLWAY_CHECKPOINT:-}" ]; then echo "after $(cat "$SPILLWAY_CHECKPOINT/results/done")"; exit 0; fi
            mkdir results
            trap 'echo 41 >results/done; exit 0' TERM
            echo began
            while :; do sleep 0.1; done
            """;

    @Test
    void aJobIsToldAndWhatItLeavesIsThereForItsNextAttempt(@TempDir Path folder) throws Exception {
        try (TestNodes nodes = new TestNodes(folder)) {
            TestSite site = nodes.site;
            TestInstance spot = nodes.instance("spot");
            Files.writeString(spot.disk.resolve("spot"), "");
            spot.boot(site.userData());
            site.untilReady(spot.id);
            assertThat(notice(site.sync(), spot)).isNull();
            nodes.order("counts", spot, COUNTS);
            site.untilPhase("counts", Phase.RUNNING);
            TestNodes.await(
                    "began",
                    () -> site.log("/v1/logs/counts/1/n-" + spot.id + "/stdout?after=0")
                            .endsWith("began\n"));
            long until = Instant.now().getEpochSecond() + 60;
            Files.writeString(spot.disk.resolve("notice.new"), "reclaim " + until + "\n");
            Files.move(spot.disk.resolve("notice.new"), spot.disk.resolve("notice"));

            Report heard = site.until("the notice", report -> notice(report, spot) != null);
            assertThat(notice(heard, spot)).isEqualTo(new Report.Notice(true, until));
            JobReport ended = site.untilPhase("counts", Phase.ENDED);
            assertThat(ended.wasTakenBack()).isTrue();
            assertThat(ended.message()).isEqualTo("its machine is taken back");
            assertThat(site.results("counts", "n-" + spot.id)).containsEntry("results/done", "41\n");
            // Whatever comes there still is sent on at once.
            nodes.order("late", spot, COUNTS);
            site.until(
                    "late",
                    report -> report.jobs().stream()
                            .anyMatch(job -> job.job().equals("late") && job.wasTakenBack() && isOver(job)));

            TestInstance other = nodes.ready("other");
            OrderDraft again = nodes.draft("again", other, COUNTS);
            byte[] left = site.staged("jobs/counts/1/out/n-" + spot.id + ".tar");
            String key = "jobs/again/0/out/0";
            again.checkpoint = new JobOrder.Input(key, left.length, site.stage(key, left));
            site.jobs.put("again", again.order());
            assertThat(site.untilPhase("again", Phase.ENDED).wasTakenBack()).isFalse();
            assertThat(nodes.stdout("again", other)).isEqualTo("after 41\n");
            OrderDraft without = nodes.draft("without", other, "echo \"${SPILLWAY_CHECKPOINT:-none}\"\n");
            without.checkpoint = new JobOrder.Input("jobs/without/0/out/0", left.length, "0".repeat(64));
            site.jobs.put("without", without.order());
            site.untilPhase("without", Phase.ENDED);
            assertThat(nodes.stdout("without", other)).isEqualTo("none\n");
            assertThat(other.disk.resolve("spillway/notices.pid")).exists();
            assertThat(notice(site.sync(), other)).isNull();
        }
    }

    private static boolean isOver(JobReport job) {
        return job.phase() == Phase.ENDED || job.phase() == Phase.REFUSED;
    }

    private static Report.Notice notice(Report report, TestInstance instance) {
        return report.nodes().stream()
                .filter(node -> node.node().equals("n-" + instance.id))
                .findFirst()
                .orElseThrow()
                .notice();
    }
}
