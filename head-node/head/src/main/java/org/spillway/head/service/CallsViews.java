package org.spillway.head.service;

import org.spillway.api.CallsView;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.RateLimits;
import org.spillway.head.loop.settings.SitePlan;

/** Calls to a provider, as they are shown. */
final class CallsViews {
    private static final int SECONDS = 60;

    private CallsViews() {}

    static CallsView of(SitePlan.Calls calls) {
        CallMeter.Minute minute = calls.meter().map(CallMeter::lastMinute).orElse(CallMeter.Minute.NONE);
        RateLimits limits = calls.limits();
        return new CallsView(
                minute.reads(),
                minute.changes(),
                aMinute(limits.reads()),
                aMinute(limits.changes()),
                aMinute(limits.listings()));
    }

    private static int aMinute(RateLimits.Bucket bucket) {
        return bucket.isEndless() ? 0 : (int) Math.round(bucket.perSecond() * SECONDS);
    }
}
