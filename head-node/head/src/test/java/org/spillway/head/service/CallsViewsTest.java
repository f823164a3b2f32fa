package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.api.CallsView;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.RateLimits.Bucket;
import org.spillway.head.loop.settings.SitePlan;

final class CallsViewsTest {
    @Test
    void theLastMinuteStandsBesideWhatTheProviderAllows() {
        CallMeter meter = new CallMeter(() -> Instant.parse("2026-11-23T12:00:00Z"));
        meter.sent(CallMeter.Kind.READ);
        meter.sent(CallMeter.Kind.READ);
        meter.sent(CallMeter.Kind.CHANGE);
        RateLimits limits = new RateLimits(new Bucket(200, 10), new Bucket(200, 10), new Bucket(250, 25))
                .withListings(new Bucket(900, 5));
        assertThat(CallsViews.of(new SitePlan.Calls(limits, Optional.of(meter))))
                .isEqualTo(new CallsView(2, 1, 1500, 600, 300));
        assertThat(CallsViews.of(SitePlan.Calls.UNCOUNTED)).isEqualTo(CallsView.NONE);
    }
}
