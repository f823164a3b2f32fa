package org.spillway.head.loop.state;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.spillway.policy.OfferingId;
import org.spillway.scaler.plan.OfferingHealth;

/** How long nodes took to come up or to become others, as last measured in this head's life. Loop thread only. */
public final class BootTimes {
    private final Map<OfferingId, Duration> boots = new HashMap<>();
    private final Map<String, Duration> changes = new HashMap<>();

    /** From its launch call until it was ready. */
    public void booted(OfferingId offering, Duration took) {
        boots.put(offering, took);
    }

    public Duration of(OfferingId offering) {
        return boots.getOrDefault(offering, OfferingHealth.DEFAULT_BOOT);
    }

    /** The boots that were measured. */
    public Map<OfferingId, Duration> all() {
        return Collections.unmodifiableMap(boots);
    }

    /** A node has become one of that category. */
    public void changed(String category, Duration took) {
        changes.put(category, took);
    }

    /** By category, where it was measured. */
    public Map<String, Duration> changes() {
        return Collections.unmodifiableMap(changes);
    }
}
