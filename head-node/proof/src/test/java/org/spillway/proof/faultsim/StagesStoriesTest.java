package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.StageRecord;
import org.spillway.head.journal.StageRecord.Status;
import org.spillway.head.loop.jobs.Orders;

/** Files that are brought to a site ahead of any job, with the production loop. */
final class StagesStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(10);
    private static final String ID = "stage-1";

    private Story story = new Story(new SimWorld.Spec("east", 4, 0, "1"));

    private void stage(Duration keep) {
        Instant now = story.world.clock.now();
        JobSpec.Data data = new JobSpec.Data(List.of(new JobSpec.Input("/home/u/in", "")), List.of(), "/home/u");
        story.journal.commit(
                now,
                new StageRecord(
                        ID,
                        new JobSpec.Owner("u", 1000, 1000),
                        "east",
                        data,
                        Status.WAITING,
                        now,
                        keep.toSeconds(),
                        null,
                        null,
                        ""));
    }

    private Status status() {
        return story.journal.stage(ID).map(StageRecord::status).orElse(Status.GONE);
    }

    private boolean isInTheRegion() {
        return story.world.site("east").directors.values().stream()
                .anyMatch(director -> director.sealed.contains(Orders.inputKey(ID)));
    }

    private long liveDirectors() {
        return story.journal.liveDirectors("east").size();
    }

    @Test
    void aDirectorIsBoughtForItAndStaysAsLongAsItIsKept() {
        stage(Duration.ofMinutes(10));
        story.until("it is there", LATER, () -> status() == Status.THERE);
        assertThat(isInTheRegion()).isTrue();
        story.pass(Duration.ofMinutes(8));
        assertThat(liveDirectors()).as("while it is kept").isEqualTo(1);
        assertThat(isInTheRegion()).isTrue();
        story.until("its time is over", LATER, () -> status() == Status.GONE);
        assertThat(isInTheRegion()).isFalse();
        story.until("the director goes, too", LATER, () -> liveDirectors() == 0);
    }

    @Test
    void aHeadThatIsKilledGoesOn() {
        stage(Duration.ofHours(2));
        story.until("a director is on its way", LATER, () -> liveDirectors() == 1);
        story = story.restarted();
        story.until("it is there", LATER, () -> status() == Status.THERE);
        Instant until = story.journal.stage(ID).orElseThrow().keptUntil();
        story = story.restarted();
        story.pass(Duration.ofMinutes(1));
        assertThat(story.journal.stage(ID).orElseThrow().keptUntil()).isEqualTo(until);
        assertThat(status()).isEqualTo(Status.THERE);
    }

    @Test
    void aSiteThatHasLostItGetsItAgain() {
        stage(Duration.ofHours(2));
        story.until("it is there", LATER, () -> status() == Status.THERE);
        story.world
                .site("east")
                .directors
                .values()
                .forEach(director -> story.world.site("east").provider.end(director.machine));
        story.until("the loss is seen", Duration.ofHours(1), () -> status() == Status.WAITING);
        story.until("it is there again", Duration.ofHours(1), () -> status() == Status.THERE);
        assertThat(isInTheRegion()).isTrue();
    }

    @Test
    void aJobOfItsUserUsesItAndItIsGivenBackBesideIt() {
        stage(Duration.ofHours(2));
        story.until("it is there", LATER, () -> status() == Status.THERE);
        assertThat(story.journal.stage(ID).orElseThrow().usedAt()).isNull();
        story.submit(new Story.Job("1", "east"));
        story.until("1 is done", LATER, () -> story.state("1") == JobState.DONE);
        assertThat(story.journal.stage(ID).orElseThrow().usedAt()).isNotNull();
        StageRecord known = story.journal.stage(ID).orElseThrow();
        Instant now = story.world.clock.now();
        story.journal.commit(now, known.to(Status.GOING, "", now));
        story.until("it is gone", LATER, () -> status() == Status.GONE);
        assertThat(isInTheRegion()).isFalse();
    }
}
