package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;

/** Standard output that grows at home while its job runs, with the production loop. */
final class RunningOutputStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(10);

    private Story story = story();

    private static Story story() {
        Story story = new Story(new SimWorld.Spec("east", 4, 0, "1"));
        story.world.site("east").runsLong = true;
        return story;
    }

    private void runs(Story.Job job) {
        story.submit(job.talking().lasting(Duration.ofHours(2)));
        story.until("it runs", LATER, () -> story.state("1") == JobState.RUNNING);
    }

    private int growths() {
        return story.world.home.growths.getOrDefault("1", 0);
    }

    @Test
    void itGrowsAFewSecondsBehindAndNeverBehindItsResults() {
        runs(new Story.Job("1", "east"));
        story.until("it grows", LATER, () -> growths() > 0);
        int before = growths();
        story.pass(Duration.ofMinutes(1));
        assertThat(growths() - before)
                .as("every five seconds, and not more often")
                .isBetween(6, 12);
        story.until("it ends", Duration.ofHours(3), () -> story.state("1").isTerminal());
        int all = growths();
        assertThat(story.state("1")).isEqualTo(JobState.DONE);
        story.pass(LATER);
        assertThat(growths()).isEqualTo(all);
    }

    @Test
    void anotherHeadGoesOn() {
        runs(new Story.Job("1", "east"));
        story.until("it grows", LATER, () -> growths() > 0);
        int before = growths();
        story = story.restarted();
        story.until("it goes on", LATER, () -> growths() > before);
    }

    @Test
    void theNextAttemptHasItsOwn() {
        runs(new Story.Job("1", "east"));
        story.until("it grows", LATER, () -> growths() > 0);
        SimSite east = story.world.site("east");
        east.provider.end(east.nodes.values().iterator().next().machine);
        story.until(
                "it runs again", Duration.ofHours(1), () -> story.job("1").run().attempt() == 2);
        story.until("that grows", LATER, () -> story.world.home.growing.get("1") == 2);
    }

    /** Rounds bring whole files; both at once would be two writers of one file. */
    @Test
    void aJobWithRoundsHasNone() {
        runs(new Story.Job("1", "east").syncing(60));
        story.until(
                "a round", LATER, () -> story.job("1").run().ranks().getFirst().synced() != null);
        assertThat(growths()).isZero();
    }
}
