package org.spillway.scaler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;

class OfferingHealthTest {
    private static final Instant START = Instant.parse("2026-11-21T14:00:00Z");
    private static final OfferingId ID = new OfferingId("east", "a", "small", Market.SPOT);

    private final List<LaunchRecord> records = new ArrayList<>();

    private void at(long seconds, LaunchOutcome outcome) {
        records.add(new LaunchRecord(START.plusSeconds(seconds), ID, 8, outcome));
    }

    private OfferingStatus status(long seconds) {
        return OfferingHealth.fold(records, START.plusSeconds(seconds)).get(0);
    }

    @ParameterizedTest
    @CsvSource({
        "CAPACITY,180,1",
        "QUOTA,600,1",
        "OCCUPIED,5,1",
        "CREDENTIALS,600,1",
        "INVALID,600,1",
        "THROTTLED,30,1000"
    })
    void eachReasonTakesTheOfferingOutForItsOwnTime(Reason reason, long seconds, int budgetAfterwards) {
        at(0, new LaunchOutcome.Refused(reason, "no"));
        assertThat(status(0).retryAt()).contains(START.plusSeconds(seconds));
        assertThat(status(seconds - 1).mayLaunchAt(START.plusSeconds(seconds - 1)))
                .isFalse();
        assertThat(status(seconds - 1).reason()).isNotBlank();
        assertThat(status(seconds).mayLaunchAt(START.plusSeconds(seconds))).isTrue();
        assertThat(status(seconds).reason()).isEmpty();
        assertThat(status(seconds).launchBudget()).isEqualTo(budgetAfterwards);
    }

    @Test
    void furtherShortagesDoubleUpToTenMinutesAndASuccessStartsAnew() {
        LaunchOutcome no = new LaunchOutcome.Refused(Reason.CAPACITY, "no");
        at(0, no);
        at(1_000, no);
        assertThat(status(1_000).retryAt()).contains(START.plusSeconds(1_360));
        at(2_000, no);
        assertThat(status(2_000).retryAt()).contains(START.plusSeconds(2_600));
        at(3_000, no);
        assertThat(status(3_000).retryAt()).contains(START.plusSeconds(3_600));
        at(4_000, new LaunchOutcome.Launched(8));
        at(4_001, no);
        assertThat(status(4_001).retryAt()).contains(START.plusSeconds(4_181));
    }

    /** H3: what others of our own hold comes free by an event; without a word of it the pauses grow to a minute. */
    @Test
    void aFullSiteIsAShortWaitWithItsReason() {
        LaunchOutcome full = new LaunchOutcome.Refused(Reason.OCCUPIED, "site west has room for 0 more");
        long at = 0;
        for (long pause : new long[] {5, 10, 20, 40, 60, 60}) {
            at(at, full);
            assertThat(status(at).retryAt()).contains(START.plusSeconds(at + pause));
            assertThat(status(at).reason()).isEqualTo("full for now: site west has room for 0 more");
            at += pause;
        }
        at(at, new LaunchOutcome.Launched(8));
        at(at + 1, full);
        assertThat(status(at + 1).retryAt()).contains(START.plusSeconds(at + 6));
    }

    @Test
    void aProbeDoublesWithEachFullSuccess() {
        at(0, new LaunchOutcome.Refused(Reason.CAPACITY, "no"));
        List<Integer> budgets = new ArrayList<>();
        for (int i = 1; i <= 12; i++) {
            at(200L * i, new LaunchOutcome.Launched(8));
            budgets.add(status(200L * i).launchBudget());
        }
        assertThat(budgets).containsExactly(2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000, 1000);
    }

    @Test
    void lessThanAskedIsNoSuccess() {
        at(0, new LaunchOutcome.Refused(Reason.CAPACITY, "no"));
        at(200, new LaunchOutcome.Launched(7));
        assertThat(status(200).launchBudget()).isEqualTo(1);
    }

    @Test
    void anUnknownAnswerCostsAMinuteAndASmallProbe() {
        at(0, new LaunchOutcome.Unknown("the answer was lost"));
        assertThat(status(0).retryAt()).contains(START.plusSeconds(60));
        assertThat(status(60).retryAt()).isEmpty();
        assertThat(status(60).launchBudget()).isEqualTo(1);
    }

    @Test
    void aPartialSuccessIsAShortageAndClearsNothing() {
        LaunchOutcome some = new LaunchOutcome.Partial(7, Reason.CAPACITY, "no more");
        at(0, some);
        assertThat(status(0).retryAt()).contains(START.plusSeconds(180));
        at(1_000, some);
        assertThat(status(1_000).retryAt()).contains(START.plusSeconds(1_360));
        assertThat(status(2_000).launchBudget()).isEqualTo(1);
    }

    @Test
    void theLongerOfTwoAbsencesCounts() {
        at(0, new LaunchOutcome.Refused(Reason.QUOTA, "no"));
        at(1, new LaunchOutcome.Refused(Reason.THROTTLED, "slowly"));
        assertThat(status(1).retryAt()).contains(START.plusSeconds(600));
        assertThat(status(1).reason()).isEqualTo("refused for quota: no");
    }

    @Test
    void whatIsInTheFutureDoesNotCountAndOrderIsByTime() {
        at(0, new LaunchOutcome.Refused(Reason.CAPACITY, "no"));
        at(-100, new LaunchOutcome.Launched(8));
        assertThat(status(0).retryAt()).contains(START.plusSeconds(180));
        assertThat(OfferingHealth.fold(records, START.minusSeconds(101))).isEmpty();
    }

    @Test
    void aMeasuredBootTimeIsUsedAlsoWhereNothingWasAsked() {
        List<OfferingStatus> statuses = OfferingHealth.fold(List.of(), START, Map.of(ID, Duration.ofSeconds(95)));
        assertThat(statuses).hasSize(1);
        assertThat(statuses.get(0).bootEstimate()).isEqualTo(Duration.ofSeconds(95));
        assertThat(statuses.get(0).mayLaunchAt(START)).isTrue();
        at(0, new LaunchOutcome.Launched(8));
        assertThat(status(0).bootEstimate()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void aProvidersTextIsCutToOnePlainLine() {
        at(0, new LaunchOutcome.Refused(Reason.INVALID, "bad\n\u001b[31m" + "x".repeat(500)));
        assertThat(status(0).reason()).doesNotContainPattern("\\p{Cntrl}").hasSizeLessThan(250);
    }
}
