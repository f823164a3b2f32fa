package org.spillway.head.cause;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

final class LaunchTextTest {
    private static LaunchRecord of(String zone, LaunchOutcome outcome) {
        return new LaunchRecord(Instant.EPOCH, new OfferingId("east", zone, "g5.xlarge", Market.ON_DEMAND), 3, outcome);
    }

    @Test
    void eachOfferingHasALineOfItsOwn() {
        assertThat(LaunchText.lines(
                        "i7",
                        List.of(
                                of("a", new LaunchOutcome.Refused(Reason.QUOTA, "VcpuLimitExceeded: none\n left")),
                                of(
                                        "b",
                                        new LaunchOutcome.Partial(
                                                1, Reason.CAPACITY, "InsufficientInstanceCapacity: no")),
                                of("c", new LaunchOutcome.Launched(2)),
                                of("d", new LaunchOutcome.Unknown("lost")))))
                .containsExactly(
                        "launch i7 refused: site east, zone a, type g5.xlarge, on-demand; asked for 3, got 0; QUOTA:"
                                + " VcpuLimitExceeded: none left",
                        "launch i7 in part: site east, zone b, type g5.xlarge, on-demand; asked for 3, got 1; CAPACITY:"
                                + " InsufficientInstanceCapacity: no");
    }
}
