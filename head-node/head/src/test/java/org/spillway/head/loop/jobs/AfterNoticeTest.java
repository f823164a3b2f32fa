package org.spillway.head.loop.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.loop.Samples;
import org.spillway.policy.Money;

/** The next step of a job that was told to end because its machine is taken back. */
final class AfterNoticeTest {
    private static final Instant NOW = Samples.NOW;
    private static final Function<String, Money> PRICE = node -> Money.parse("3.60");
    private static final Report.Results LEFT = new Report.Results(7, "0a".repeat(32));

    private static JobRecord running(int nodes, int before) {
        List<String> ids = List.of("n1", "n2").subList(0, nodes);
        return Samples.job(
                "1", nodes, "", JobState.RUNNING, JobRun.NONE.at("east").startedOn(ids, before));
    }

    private static JobRecord ended(JobRecord job, String node, int code, Report.@Nullable Results left, boolean taken) {
        long began = NOW.minusSeconds(20).toEpochMilli();
        var heard = new JobReport(
                "1",
                job.run().attempt(),
                node,
                Phase.ENDED,
                code,
                began,
                began + 10_000,
                left,
                "",
                true,
                taken ? Boolean.TRUE : null,
                null,
                null,
                null);
        return job.with(job.run().ended(node, RankEnd.of(job, heard, "store-1", NOW)));
    }

    private static JobRecord next(JobRecord job) {
        return AfterNotice.next(job, 5, PRICE, NOW).orElseThrow();
    }

    @Test
    void whoeverWasToldToEndHasNotFinishedWhateverItsExitCode() {
        JobRecord over = ended(running(1, 0), "n1", 0, LEFT, true);
        assertThat(over.run().exitCode()).isEqualTo(143);
        assertThat(Results.verdict(over)).isEqualTo(JobState.FAILED);
        JobRecord again = next(over);
        assertThat(again.jobState()).isEqualTo(JobState.QUEUED);
        assertThat(again.cause()).isEqualTo(new JobCause.TakenBack("n1", true));
        Reclaimed reclaimed = again.run().reclaimed();
        assertThat(reclaimed.savedMillis()).isEqualTo(10_000);
        assertThat(reclaimed.saved()).isEqualTo(Money.parse("0.01"));
        assertThat(reclaimed.site()).isEqualTo("east");
        assertThat(reclaimed.store()).isEqualTo("store-1");
    }

    @Test
    void aJobThatEndedByItselfOrWasCancelledIsNoneOfThese() {
        assertThat(AfterNotice.next(ended(running(1, 0), "n1", 0, LEFT, false), 5, PRICE, NOW))
                .isEmpty();
        JobRecord cancelled = ended(running(1, 0), "n1", 143, LEFT, true);
        assertThat(AfterNotice.next(cancelled.with(cancelled.run().withCancelled()), 5, PRICE, NOW))
                .isEmpty();
    }

    @Test
    void aGangLeavesAllOfItselfOrNothing() {
        JobRecord whole = ended(ended(running(2, 0), "n1", 0, LEFT, true), "n2", 143, LEFT, false);
        assertThat(next(whole).run().reclaimed().left()).hasSize(2);
        JobRecord torn = ended(ended(running(2, 0), "n1", 0, LEFT, true), "n2", 143, null, false);
        assertThat(next(torn).run().reclaimed().left()).isEmpty();
        assertThat(next(torn).cause()).isEqualTo(new JobCause.TakenBack("n1", false));
    }

    @Test
    void anAttemptThatLeavesNothingLeavesWhatWasThereBefore() {
        JobRecord first = next(ended(running(1, 0), "n1", 0, LEFT, true));
        JobRecord second = first.with(first.run().startedOn(List.of("n1"), 1));
        Reclaimed kept = next(ended(second, "n1", 1, null, true)).run().reclaimed();
        assertThat(kept.times()).isEqualTo(2);
        assertThat(kept.attempt()).isEqualTo(1);
        assertThat(kept.left()).hasSize(1);
        assertThat(Orders.of(second, List.of("10.0.0.1"), false).getFirst().checkpoint())
                .extracting(input -> input.key())
                .isEqualTo("jobs/1/1/out/0");
    }

    @Test
    void whatLiesInAnotherStoreOrSiteIsNotThere() {
        JobRun run = next(ended(running(1, 0), "n1", 0, LEFT, true)).run();
        assertThat(run.heldIn("store-1")).isSameAs(run);
        Reclaimed anew = run.heldIn("store-2").reclaimed();
        assertThat(anew.left()).isEmpty();
        assertThat(anew.saved()).as("nothing was saved after all").isEqualTo(Money.ZERO);
        assertThat(anew.times()).isEqualTo(1);
        assertThat(run.at("west").reclaimed().isOnlyIn("east")).isTrue();
        JobRun home = run.withReclaimed(run.reclaimed().atHome("east"));
        assertThat(home.reclaimed().store()).isEqualTo("store-1");
        assertThat(home.at("west").reclaimed().store())
                .as("east may be cleaned")
                .isEmpty();
        assertThat(home.at("west").reclaimed().left()).hasSize(1);
        JobRun stays = run.withReclaimed(run.reclaimed().staying());
        assertThat(stays.at("east").reclaimed().left()).hasSize(1);
        assertThat(stays.at("west").reclaimed().left()).isEmpty();
    }

    @Test
    void itIsNotSoForEver() {
        JobRecord job = running(1, 0);
        int times = 0;
        JobRecord next = next(ended(job, "n1", 0, LEFT, true));
        while (next.jobState() == JobState.QUEUED) {
            times++;
            JobRecord again = next.with(next.run().startedOn(List.of("n1"), times))
                    .to(JobState.RUNNING, new JobCause.RunsOn(List.of("n1")), NOW);
            next = next(ended(again, "n1", 0, LEFT, true));
        }
        assertThat(times).isEqualTo(AfterNotice.MOST_TIMES - 1);
        assertThat(next.jobState()).isEqualTo(JobState.STAGING_OUT);
        assertThat(next.cause()).isInstanceOf(JobCause.GivenUp.class);
    }

    @Test
    void lostNodesCountBesideIt() {
        JobRecord fifth = ended(running(1, 5), "n1", 0, LEFT, true);
        assertThat(next(fifth).cause()).isInstanceOf(JobCause.GivenUp.class);
        assertThat(next(ended(running(1, 4), "n1", 0, LEFT, true)).jobState()).isEqualTo(JobState.QUEUED);
    }

    @Test
    void aMachineThatItsProviderDidNotEndAtOnceHadItsNoticeToo() {
        NodeRecord node = Samples.node("n1", NodeState.READY);
        Cause notice = new NodeCause.Reclaimed(7);
        assertThat(AfterNotice.wasNoticed(node)).isFalse();
        assertThat(AfterNotice.wasNoticed(node.to(NodeState.RECLAIMING, notice, NOW)))
                .isTrue();
        assertThat(AfterNotice.wasNoticed(
                        node.to(NodeState.TERMINATING, new NodeCause.NotEnded(notice, "locked"), NOW)))
                .isTrue();
    }
}
