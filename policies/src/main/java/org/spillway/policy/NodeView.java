package org.spillway.policy;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node as a policy sees it.
 *
 * @param offering what it was bought as; null for a node at home
 * @param free what is not allocated to a job
 * @param since when it entered this phase
 * @param keep an administrator said that it must not be released
 * @param duty what it does and until when; never null
 */
public record NodeView(
        String id,
        String site,
        @Nullable OfferingId offering,
        Phase phase,
        Resources total,
        Resources free,
        Instant since,
        Money pricePerHour,
        boolean keep,
        Duty duty) {
    public NodeView {
        // Written before schema 2.
        duty = duty == null ? Duty.NONE : duty;
    }

    /**
     * @param busyUntil when the last of its jobs is expected to end; null when it has none, or nothing is known
     * @param category the named set of image, partition and services that it bears; empty for its site's own
     * @param overlays configuration overlays that it has joined
     * @param billedFrom when its price began to run; null for a node at home, or when nothing is known
     * @param stops whether it is stopped where another would be ended, and may be started again: the host makes that of a
     *     {@link Wish.Release} of it, and starts it before it launches another of its offering
     * @param fixed an administrator made it what it is: no {@link Wish.Repurpose} or {@link Wish.Overlay} of it is granted
     * @param fabric that it stands on; never null
     */
    public record Duty(
            @Nullable Instant busyUntil,
            String category,
            Set<String> overlays,
            @Nullable Instant billedFrom,
            boolean stops,
            boolean fixed,
            Fabric fabric) {
        public static final Duty NONE = new Duty(null, "", Set.of(), null, false, false, Fabric.NONE);

        public Duty {
            overlays = Set.copyOf(overlays);
            // Written before gangs were kept on one fabric.
            fabric = fabric == null ? Fabric.NONE : fabric;
        }

        /** The same whose last job ends then; null when nothing is known. */
        public Duty withBusyUntil(@Nullable Instant then) {
            return new Duty(then, category, overlays, billedFrom, stops, fixed, fabric);
        }

        /** The same of another category. */
        public Duty withCategory(String other) {
            return new Duty(busyUntil, other, overlays, billedFrom, stops, fixed, fabric);
        }

        /** The same whose price began to run then; null when nothing is known. */
        public Duty withBilledFrom(@Nullable Instant then) {
            return new Duty(busyUntil, category, overlays, then, stops, fixed, fabric);
        }

        /** The same on another fabric. */
        public Duty withFabric(Fabric other) {
            return new Duty(busyUntil, category, overlays, billedFrom, stops, fixed, other);
        }
    }

    /** Whether it is stopped, and can be started. */
    public boolean isStartable() {
        return phase == Phase.STOPPED && duty.stops() && offering != null;
    }

    /** Coarser than the head's node states: what a policy may act on. */
    public enum Phase {
        IN_FLIGHT,
        IDLE,
        ALLOCATED,
        DRAINING,
        STOPPED
    }
}
