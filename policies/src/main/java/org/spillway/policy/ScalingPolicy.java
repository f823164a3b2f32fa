package org.spillway.policy;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides how many nodes of what kind there should be. Pure: no clock (the snapshot carries the time), no input or
 * output, no state between calls; equal arguments give equal answers. What it wishes is cut down by the host to
 * limits and budgets, and a shape that no wish names is held with the reason "the policy asked for nothing".
 *
 * @param <S> its settings: a record whose components are the keys that an administrator may set
 */
public interface ScalingPolicy<S extends Record> {
    /** Lower-case name with dashes, unique on a head. */
    String name();

    /** The settings with every component at its default, also their documentation of type and range. */
    S defaults();

    /**
     * @return wishes in order of importance; an empty list for "leave all as it is". An exception is logged, counted,
     *     and answered by the last good decision's absence: nothing changes in that tick
     */
    List<Wish> decide(ClusterSnapshot now, S settings, Planner planner);

    /**
     * The first instant at which {@link #decide} might answer otherwise although nothing but the time has changed: when a
     * node has been idle for long enough, a job is old enough, a window opens. The simulator asks no sooner. Offerings that
     * may be asked again are the host's to watch.
     *
     * @return later than the snapshot's {@code now}; empty for never. By default the snapshot's own {@code now}: ask me
     *     at every tick
     */
    default Optional<Instant> nextChange(ClusterSnapshot now, S settings) {
        return Optional.of(now.now());
    }
}
