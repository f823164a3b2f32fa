package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobRun;
import org.spillway.head.loop.jobs.Orders;

/** Outputs that come home while their jobs run, with the production loop. */
final class SyncStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(10);

    private Story story = story();

    private static Story story() {
        Story story = new Story(new SimWorld.Spec("east", 4, 0, "1"));
        story.world.site("east").runsLong = true;
        return story;
    }

    private void runs(String job, int nodes) {
        story.submit(new Story.Job(job, "east").nodes(nodes).syncing(60).lasting(Duration.ofHours(2)));
        story.until(job + " runs", LATER, () -> story.state(job) == JobState.RUNNING);
    }

    private int round(String job, int rank) {
        JobRun.Synced last = story.job(job).run().ranks().get(rank).synced();
        return last == null ? 0 : last.round();
    }

    private boolean isSealed(String job, int round) {
        return story.world.site("east").directors.values().stream()
                .anyMatch(director -> director.sealed.contains(Orders.syncKey(job, 1, 0, round)));
    }

    @Test
    void roundsComeHomeOneAfterTheOther() {
        runs("1", 2);
        story.until("three rounds", LATER, () -> round("1", 0) == 3 && round("1", 1) == 3);
        JobRun.Synced last = story.job("1").run().ranks().getFirst().synced();
        assertThat(last.files()).isEqualTo(1);
        assertThat(last.allBytes()).isEqualTo(3);
        assertThat(last.said()).isEmpty();
        story.until("it ends", Duration.ofHours(3), () -> story.state("1").isTerminal());
        assertThat(story.state("1")).isEqualTo(JobState.DONE);
    }

    /** The journal knows which rounds were dealt with, and the region which was not. */
    @Test
    void aHeadThatIsKilledInARoundBringsItOnceMoreAndGoesOn() {
        runs("1", 1);
        story.until("a round", LATER, () -> round("1", 0) == 1);
        story.until("another is on its way", LATER, () -> isSealed("1", 2));
        assertThat(round("1", 0)).as("as the journal has it").isEqualTo(1);
        story = story.restarted();
        story.until("it is dealt with", LATER, () -> round("1", 0) == 2);
        story.until("and the next", LATER, () -> round("1", 0) == 3);
        assertThat(story.job("1").run().attempt()).isEqualTo(1);
    }

    @Test
    void aJobThatAsksForNoneHasNone() {
        story.submit(new Story.Job("1", "east").lasting(Duration.ofHours(2)));
        story.until("1 runs", LATER, () -> story.state("1") == JobState.RUNNING);
        story.pass(Duration.ofMinutes(5));
        assertThat(story.job("1").run().ranks().getFirst().synced()).isNull();
    }
}
