package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.ForwardingCompute;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.RateLimits;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.policy.LaunchOutcome;

/** A provider that counts calls, with listings of so many. */
final class CountedListings extends ForwardingCompute {
    /** When it was listed. */
    final List<Instant> listings = new ArrayList<>();

    private final SimProvider provider;
    private final SimClock clock;
    private final int calls;
    private final RateLimits limits;
    private final CallMeter meter;

    CountedListings(SimProvider provider, SimClock clock, int calls, RateLimits limits) {
        super(provider);
        this.provider = provider;
        this.clock = clock;
        this.calls = calls;
        this.limits = limits;
        this.meter = new CallMeter(clock::now);
    }

    SitePlan.Calls counted() {
        return new SitePlan.Calls(limits, Optional.of(meter));
    }

    @Override
    public LaunchAnswer launch(LaunchRequest request) {
        return provider.mute
                ? new LaunchAnswer(new LaunchOutcome.Unknown("no answer"), List.of())
                : provider.launch(request);
    }

    @Override
    public List<Instance> list() throws CloudException {
        listings.add(clock.now());
        for (int i = 0; i < calls; i++) {
            meter.sent(CallMeter.Kind.READ);
        }
        return provider.list();
    }
}
