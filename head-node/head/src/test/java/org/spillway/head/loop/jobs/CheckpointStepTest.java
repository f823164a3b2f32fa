package org.spillway.head.loop.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.Reclaimed;
import org.spillway.policy.Money;
import org.spillway.stage.Checksum;

/** Where a checkpoint goes next. */
final class CheckpointStepTest {
    private static final Reclaimed IN_EAST = new Reclaimed(
            1, 10, Money.ZERO, 1, "east", "s-east", List.of(new Checksum(7, "0a".repeat(32))), Reclaimed.Way.REGION);
    private static final Reclaimed AT_HOME = IN_EAST.atHome("west");

    private static CheckpointStep.Facts facts(
            String bound, @Nullable String here, @Nullable String there, boolean gone, boolean free, boolean late) {
        return new CheckpointStep.Facts(bound, here, there, gone, true, free, false, late, false);
    }

    private static CheckpointStep step(Reclaimed left, CheckpointStep.Facts facts) {
        return CheckpointStep.of(left, facts);
    }

    @Test
    void theJobNeedsItNowhereElse() {
        assertThat(step(IN_EAST, facts("east", "s-east", "s-east", false, true, false)))
                .as("home is safer, and costs nothing")
                .isEqualTo(CheckpointStep.BRING);
        assertThat(step(IN_EAST, facts("east", "s-east", "s-east", false, false, false)))
                .as("a way out that costs is gone when it is needed")
                .isEqualTo(CheckpointStep.REST);
        assertThat(step(
                        IN_EAST,
                        new CheckpointStep.Facts("east", "s-east", "s-east", false, true, false, true, false, false)))
                .as("the region is about to go")
                .isEqualTo(CheckpointStep.BRING);
        assertThat(step(IN_EAST, facts("east", "s-east", "s-east", false, true, true)))
                .isEqualTo(CheckpointStep.STAY);
    }

    @Test
    void whatCameHomeInRoundsBecomesABundleFirst() {
        Reclaimed rounds = Reclaimed.NEVER.ofRounds(2, 10, Money.ZERO);
        assertThat(rounds.isLeft()).isTrue();
        assertThat(rounds.isOnlyIn("")).as("no region has to be kept for it").isFalse();
        assertThat(step(rounds, facts("west", null, null, true, false, false)))
                .as("no region is needed")
                .isEqualTo(CheckpointStep.GATHER);
        assertThat(step(rounds, new CheckpointStep.Facts("west", null, null, true, true, true, false, false, true)))
                .as("the last round is on its way to its places")
                .isEqualTo(CheckpointStep.WAIT);
        assertThat(step(rounds, facts("west", "s-west", null, true, false, true)))
                .isEqualTo(CheckpointStep.FORGET);
        Reclaimed gathered = rounds.gathered(IN_EAST.left());
        assertThat(step(gathered, facts("west", "s-west", null, true, false, false)))
                .isEqualTo(CheckpointStep.SEND);
        assertThat(gathered.attempt()).isEqualTo(2);
    }

    @Test
    void theJobGoesOnElsewhere() {
        assertThat(step(IN_EAST, facts("west", "s-west", "s-east", false, false, false)))
                .isEqualTo(CheckpointStep.BRING);
        assertThat(step(IN_EAST, facts("west", "s-west", null, false, false, false)))
                .isEqualTo(CheckpointStep.WAIT);
        assertThat(step(AT_HOME, facts("west", "s-west", null, true, false, false)))
                .isEqualTo(CheckpointStep.SEND);
        assertThat(step(AT_HOME, facts("west", null, null, true, false, false)))
                .as("its director is not there yet")
                .isEqualTo(CheckpointStep.REST);
        assertThat(step(AT_HOME.sentTo("west", "s-west"), facts("west", "s-west", "s-west", false, false, false)))
                .isEqualTo(CheckpointStep.REST);
        assertThat(step(AT_HOME.sentTo("west", "s-west"), facts("west", "s-new", "s-new", false, false, false)))
                .as("another director")
                .isEqualTo(CheckpointStep.SEND);
    }

    @Test
    void nobodyWaitsForWhatCannotBeHad() {
        assertThat(step(IN_EAST, facts("west", "s-west", null, true, false, false)))
                .isEqualTo(CheckpointStep.FORGET);
        assertThat(step(IN_EAST, facts("west", "s-west", "s-other", false, false, false)))
                .isEqualTo(CheckpointStep.FORGET);
        assertThat(step(IN_EAST, facts("west", "s-west", "s-east", false, false, true)))
                .isEqualTo(CheckpointStep.FORGET);
        assertThat(step(AT_HOME, facts("west", "s-west", null, true, false, true)))
                .isEqualTo(CheckpointStep.FORGET);
        assertThat(step(IN_EAST.staying(), facts("west", "s-west", "s-east", false, true, false)))
                .isEqualTo(CheckpointStep.FORGET);
        assertThat(step(Reclaimed.NEVER, facts("west", "s-west", "s-east", false, true, false)))
                .isEqualTo(CheckpointStep.REST);
    }

    @Test
    void aJobThatRunsIsSentNothing() {
        assertThat(step(
                        AT_HOME,
                        new CheckpointStep.Facts("west", "s-west", null, true, false, true, false, false, false)))
                .isEqualTo(CheckpointStep.REST);
    }
}
