package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** Nodes of one job start together or not at all. */
@Tag("processes")
final class NodeGangTest extends OnNodes {
    private final List<OrderDraft> ranks = new ArrayList<>();

    private void gang(String job, int size, String script) throws Exception {
        List<TestInstance> members = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            TestInstance instance = nodes.instance(job + rank);
            instance.boot(site.userData());
            members.add(instance);
        }
        for (int rank = 0; rank < size; rank++) {
            site.untilReady(members.get(rank).id);
            OrderDraft draft = nodes.draft(job, members.get(rank), script);
            draft.rank = rank;
            draft.peers = List.of("10.0.0.1", "10.0.0.2", "10.0.0.3").subList(0, size);
            ranks.add(draft);
        }
    }

    private void direct() throws Exception {
        site.jobs.clear();
        ranks.forEach(draft -> site.jobs.put("rank " + draft.rank, draft.order()));
        site.sync();
    }

    private static boolean all(Report report, Phase phase, int count) {
        return report.jobs().stream().filter(job -> job.phase() == phase).count() == count;
    }

    @Test
    void allStartTogetherWhenTheLastHasPreparedAlsoWithANewDirector() throws Exception {
        gang("g", 3, "echo $SPILLWAY_RANK $SPILLWAY_NODES $SPILLWAY_PEERS $SPILLWAY_MASTER\n");
        byte[] bundle = Tar.of(folder.resolve("tree"), List.of("bin"));
        String sha = site.stage("jobs/g/in/elsewhere", bundle);
        ranks.get(1).inputs = List.of(new JobOrder.Input("jobs/g/in/0", bundle.length, sha));
        direct();
        TestNodes.await("two wait", () -> ranks.stream().filter(this::waits).count() == 2);
        assertThat(site.sync().jobs()).allMatch(job -> job.phase() == Phase.ACCEPTED);
        site.restartDirector();
        site.stage("jobs/g/in/0", bundle);
        Report report = site.until("all have ended", told -> all(told, Phase.ENDED, 3));
        var starts =
                report.jobs().stream().mapToLong(JobReport::startedEpochMillis).summaryStatistics();
        assertThat(starts.getMax() - starts.getMin()).isLessThan(1000);
        for (OrderDraft draft : ranks) {
            assertThat(site.results("g", draft.order().node()))
                    .containsEntry(".spillway/stdout", draft.rank + " 3 10.0.0.1,10.0.0.2,10.0.0.3 10.0.0.1\n");
        }
    }

    private boolean waits(OrderDraft draft) {
        String instance = draft.order().node().substring("n-".length());
        return folder.resolve(instance + "/spillway/jobs/g.1/waiting").toFile().exists();
    }

    @Test
    void oneThatWaitsObeysItsCancel() throws Exception {
        gang("g", 2, "exit 0\n");
        ranks.get(1).inputs = List.of(new JobOrder.Input("jobs/g/in/0", 1, "0".repeat(64)));
        direct();
        TestNodes.await("one waits", () -> waits(ranks.getFirst()));
        ranks.forEach(draft -> draft.cancel = true);
        direct();
        Report report = site.until("both refused", told -> all(told, Phase.REFUSED, 2));
        assertThat(report.jobs()).allMatch(job -> job.message().equals("cancelled before it started"));
    }
}
