package org.spillway.head.loop.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.cause.WaitCause.WaitFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.loop.Samples;

/** A row for each thing that can be in the way of an input, in the order in which they are asked for. */
final class StageInStepTest {
    private static final JobRecord OTHER = Samples.queued("2", 1);
    private static final StagingQuota.Verdict ROOM = new StagingQuota.Verdict.Room();

    /** @param said of those questions, in order: no director, under way, by another, no turn, tried */
    private static StageInStep step(List<Boolean> said, @Nullable JobRecord alike, StagingQuota.Verdict room) {
        return StageInStep.of("east", new StageInStep.Facts() {
            @Override
            public Cause directorObstacle() {
                return said.get(0) ? WaitFact.INPUT_UNSIZED : Cause.NONE;
            }

            @Override
            public boolean isUnderWay() {
                return said.get(1);
            }

            @Override
            public boolean isBroughtByAnother() {
                return said.get(2);
            }

            @Override
            public boolean hasTurn() {
                return !said.get(3);
            }

            @Override
            public boolean wasTriedJustNow() {
                return said.get(4);
            }

            @Override
            public @Nullable JobRecord alike() {
                return alike;
            }

            @Override
            public StagingQuota.Verdict room() {
                return room;
            }
        });
    }

    private static StageInStep first(int obstacle) {
        List<Boolean> said =
                IntStream.range(0, 5).mapToObj(at -> at >= obstacle).toList();
        return step(said, null, ROOM);
    }

    @Test
    void theFirstObstacleCounts() {
        assertThat(first(0)).isEqualTo(new StageInStep.Wait(WaitFact.INPUT_UNSIZED));
        assertThat(first(1)).isEqualTo(new StageInStep.Rest());
        assertThat(first(2)).isEqualTo(new StageInStep.Wait(new WaitCause.InputOnTheWay("east", true)));
        assertThat(first(3)).isEqualTo(new StageInStep.Wait(new WaitCause.InputInTurn("east")));
        assertThat(first(4)).isEqualTo(new StageInStep.Rest());
        assertThat(first(5)).isEqualTo(new StageInStep.Begin(null));
    }

    @Test
    void anInputThatIsThereAlreadyTakesNoMoreRoom() {
        List<Boolean> free = List.of(false, false, false, false, false);
        StagingQuota.Verdict full = new StagingQuota.Verdict.Wait(WaitFact.INPUT_UNSIZED);
        assertThat(step(free, OTHER, full)).isEqualTo(new StageInStep.Begin(OTHER));
        assertThat(step(free, null, full)).isEqualTo(new StageInStep.Wait(WaitFact.INPUT_UNSIZED));
        assertThat(step(free, null, new StagingQuota.Verdict.TooMuch("too much")))
                .isEqualTo(new StageInStep.Refuse("too much"));
    }
}
