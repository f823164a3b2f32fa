package org.spillway.head.loop.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import org.spillway.scaler.plan.OfferingHealth;

/** The small owners of the loop's memory. */
final class OwnersTest {
    private static final Instant NOW = Instant.parse("2026-11-23T06:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(60);

    @Test
    void aRowOfFailuresBeganWithItsFirst() {
        Failing failing = new Failing();
        assertThat(failing.stageInFailed("j1", 0, NOW)).isEqualTo(NOW);
        assertThat(failing.stageInFailed("j1", 0, LATER)).isEqualTo(NOW);
        assertThat(failing.stageOutFailed("j1", LATER)).isEqualTo(LATER);

        failing.stageInAnew("j1");

        assertThat(failing.isStageIn("j1")).isFalse();
        assertThat(failing.stageInSince("j1")).isNull();
        failing.forget("j1");
        assertThat(failing.stageOutFailed("j1", NOW)).isEqualTo(NOW);
        assertThat(failing.stageOutFailed("j1", LATER)).isEqualTo(NOW);
        assertThat(failing.stageOutTries("j1")).isEqualTo(2);
        failing.stageOutAnew("j1");
        assertThat(failing.stageOutTries("j1")).isZero();
    }

    /** P5: on 7b3e1e2 a stage-in was given up half an hour after its first failure, however far it had come since. */
    @Test
    void aTryThatCameFurtherBeginsANewRow() {
        Failing failing = new Failing();
        assertThat(failing.stageInFailed("j1", 100, NOW)).isEqualTo(NOW);
        assertThat(failing.stageInFailed("j1", 200, LATER)).isEqualTo(LATER);
        assertThat(failing.stageInFailed("j1", 200, LATER.plusSeconds(60))).isEqualTo(LATER);
        assertThat(failing.stageInFailed("j1", 50, LATER.plusSeconds(90)))
                .as("one that began anew has to come further than all before")
                .isEqualTo(LATER);
        assertThat(failing.stageInSince("j1")).isEqualTo(LATER);
    }

    @Test
    void whoWasRefusedMayAskAgainWhenItsTimeHasCome() {
        Unpaid unpaid = new Unpaid();
        unpaid.refuse("j1", LATER);

        assertThat(unpaid.isRefused("j1", NOW)).isTrue();
        assertThat(unpaid.isRefused("j2", NOW)).isFalse();
        assertThat(unpaid.isRefused("j1", LATER)).isFalse();
    }

    @Test
    void theLatestWordOnANodeCountsAndAnEndedOneIsForgotten() {
        NodeSights sights = new NodeSights();
        sights.heard("n1", LATER);
        sights.heard("n1", NOW);
        sights.busy("n1", NOW);
        sights.gone("n1");
        sights.notStarted("n1", NOW);
        assertThat(sights.lastHeard("n1")).isEqualTo(LATER);
        assertThat(sights.isGone("n1") && sights.wasNotStarted("n1")).isTrue();

        sights.mayBeStartedIfBefore(NOW);
        assertThat(sights.wasNotStarted("n1")).isTrue();
        sights.mayBeStartedIfBefore(LATER);
        assertThat(sights.wasNotStarted("n1")).isFalse();

        sights.forget("n1");
        assertThat(sights.isGone("n1")).isFalse();
        assertThat(sights.lastHeard("n1")).isNull();
        assertThat(sights.lastBusy("n1")).isNull();
    }

    @Test
    void aBootThatWasNotMeasuredIsTheUsualOne() {
        BootTimes times = new BootTimes();
        OfferingId offering = new OfferingId("north", "a", "small", Market.ON_DEMAND);
        assertThat(times.of(offering)).isEqualTo(OfferingHealth.DEFAULT_BOOT);

        times.booted(offering, Duration.ofSeconds(3));
        times.changed("gpu", Duration.ofSeconds(4));

        assertThat(times.of(offering)).isEqualTo(Duration.ofSeconds(3));
        assertThat(times.all()).containsOnlyKeys(offering);
        assertThat(times.changes()).containsEntry("gpu", Duration.ofSeconds(4));
    }

    @Test
    void aLaunchOfAnEarlierLifeIsUnknownSinceThatWasNoticedFirst() {
        UnknownLaunches launches = new UnknownLaunches();
        launches.inherited("i1", NOW);
        launches.inherited("i1", LATER);
        assertThat(launches.since("i1")).isEqualTo(NOW);
        launches.unanswered("i1", LATER);
        assertThat(launches.since("i1")).isEqualTo(LATER);
        launches.settled("i1");
        assertThat(launches.since("i1")).isNull();
    }

    @Test
    void nothingIsKeptOfAJobThatHasEnded() {
        JobMemory memory = new JobMemory();
        memory.failing().stageInFailed("j1", 0, NOW);
        memory.unpaid().refuse("j1", LATER);
        memory.transfers().inputIs("j1", 1, 7);
        memory.unpaid().refuse("j2", LATER);

        memory.forget("j1");

        assertThat(memory.failing().isStageIn("j1")).isFalse();
        assertThat(memory.unpaid().isRefused("j1", NOW)).isFalse();
        assertThat(memory.transfers().inputBytesIfKnown("j1")).isEmpty();
        assertThat(memory.unpaid().isRefused("j2", NOW)).isTrue();
        assertThat(new NodeMemory().sights().isGone("n1")).isFalse();
    }
}
