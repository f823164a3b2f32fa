package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.limits.Lifetime;
import org.spillway.head.loop.port.SiteCheck;
import org.spillway.policy.Money;

/** H4: jobs without a walltime of their own in a cluster that ends, by the loop's {@code Lifespan}. */
final class LifespanStoriesTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration LATER = Duration.ofMinutes(5);
    private List<Finding> found = List.of();

    private Story story() {
        Story story = new Story(name -> Optional.<SiteCheck>of(() -> found), new SimWorld.Spec("east", 3, 0, "1"));
        Instant now = story.world.clock.now();
        story.loop.lifespan().begin(new Lifetime(now.plus(Duration.ofMinutes(30)), Money.ZERO, now));
        return story;
    }

    /** A job with the walltime of its queue, which nobody asked for. */
    private static void submit(Story story, String id) {
        story.submit(new Story.Job(id, "east"));
        JobRecord job = story.job(id);
        JobSpec.Need need = job.spec().need();
        story.journal.commit(
                story.world.clock.now(),
                job.with(job.spec()
                        .with(draft -> draft.need = new JobSpec.Need(
                                need.perNode(), need.nodes(), DAY, need.types(), need.whole(), DAY, need.markets()))));
    }

    @Test
    void itStartsWithTheTimeThatTheClusterHas() {
        Story story = story();
        submit(story, "1");
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
        assertThat(story.job("1").spec().walltime()).isBetween(Duration.ofMinutes(20), Duration.ofMinutes(29));
    }

    @Test
    void moreTimeIsMoreForWhatWaitsAndWasNotAskedFor() {
        found = List.of(new Finding("credentials", Verdict.BROKEN, "not accepted", "correct them"));
        Story story = story();
        submit(story, "1");
        story.submit(new Story.Job("2", "east"));
        Duration asked = story.job("2").spec().walltime();
        story.loop.lifespan().endsAt(story.world.clock.now().plus(Duration.ofHours(2)));
        story.pass(Duration.ofSeconds(30));
        assertThat(story.job("1").jobState()).isNotEqualTo(JobState.RUNNING);
        assertThat(story.job("1").spec().walltime()).isBetween(Duration.ofMinutes(110), Duration.ofMinutes(119));
        assertThat(story.job("2").spec().walltime()).isEqualTo(asked);
    }
}
