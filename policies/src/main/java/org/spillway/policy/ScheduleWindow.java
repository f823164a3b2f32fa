package org.spillway.policy;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A named stretch of time, such as "Monday pre-warm", that is open at the snapshot's {@code now}.
 *
 * @param warm what there shall be while it is open; null for nothing in particular
 */
public record ScheduleWindow(
        String name,
        Instant opened,
        Instant closes,
        @Nullable Warm warm) {
    public ScheduleWindow(String name, Instant opened, Instant closes) {
        this(name, opened, closes, null);
    }

    /**
     * Nodes that shall be there.
     *
     * @param instanceType empty for any
     * @param nodes with or without jobs, 1 or more
     */
    public record Warm(String site, String instanceType, Market market, int nodes) {
        public Warm {
            if (nodes < 1) {
                throw new IllegalArgumentException("a window warms at least one node, not " + nodes);
            }
        }

        public boolean matches(OfferingId id) {
            return id.site().equals(site)
                    && id.market() == market
                    && (instanceType.isEmpty() || instanceType.equals(id.instanceType()));
        }
    }
}
