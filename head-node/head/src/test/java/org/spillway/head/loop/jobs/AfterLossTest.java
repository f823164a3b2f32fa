package org.spillway.head.loop.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.loop.Samples;
import org.spillway.policy.Money;
import org.spillway.stage.Checksum;

/** A checkpoint of an attempt that nobody hears of any more. */
final class AfterLossTest {
    private static final Function<String, Money> PRICE = node -> Money.parse("3.60");

    private static JobRecord running(int nodes) {
        List<String> ids = List.of("n1", "n2").subList(0, nodes);
        return Samples.job(
                "1", nodes, "", JobState.RUNNING, JobRun.NONE.at("east").startedOn(ids, 0));
    }

    private static JobRecord synced(JobRecord job, String node, long seconds, String said) {
        Instant at = job.since().plusSeconds(seconds);
        return job.with(job.run().synced(node, new JobRun.Synced(1, at, 1, 7, 7, said, false)));
    }

    @Test
    void whatCameHomeIsTheNextAttempts() {
        JobRecord kept = AfterLoss.kept(synced(running(1), "n1", 10, ""), PRICE);
        Reclaimed left = kept.run().reclaimed();
        assertThat(left.way()).isEqualTo(Reclaimed.Way.ROUNDS);
        assertThat(left.times()).as("no notice").isZero();
        assertThat(left.attempt()).isEqualTo(1);
        assertThat(left.savedMillis()).isEqualTo(10_000);
        assertThat(left.saved()).isEqualTo(Money.parse("0.01"));
    }

    @Test
    void withoutARoundTheCheckpointOfAnEarlierAttemptStays() {
        JobRecord job = running(1);
        assertThat(AfterLoss.kept(job, PRICE)).isEqualTo(job);
        Checksum earlier = new Checksum(7, "0a".repeat(32));
        Reclaimed before = new Reclaimed(
                1, 5_000, Money.parse("0.5"), 1, "east", "store-1", List.of(earlier), Reclaimed.Way.REGION);
        JobRecord second = job.with(job.run().startedOn(List.of("n1"), 1).withReclaimed(before));
        assertThat(AfterLoss.kept(second, PRICE).run().reclaimed()).isEqualTo(before);
        Reclaimed after =
                AfterLoss.kept(synced(second, "n1", 10, ""), PRICE).run().reclaimed();
        assertThat(after.attempt()).isEqualTo(2);
        assertThat(after.left()).isEmpty();
        assertThat(after.times()).isEqualTo(1);
        assertThat(after.savedMillis()).isEqualTo(15_000);
        assertThat(after.saved()).isEqualTo(Money.parse("0.51"));
    }

    @Test
    void aGangLeavesAllOfItselfOrNothing() {
        JobRecord one = synced(running(2), "n1", 10, "");
        assertThat(AfterLoss.kept(one, PRICE).run().reclaimed()).isNull();
        assertThat(AfterLoss.kept(synced(one, "n2", 10, "permission denied"), PRICE)
                        .run()
                        .reclaimed())
                .as("a round that home refused")
                .isNull();
        assertThat(AfterLoss.kept(synced(one, "n2", 10, ""), PRICE)
                        .run()
                        .reclaimed()
                        .savedMillis())
                .isEqualTo(20_000);
    }
}
