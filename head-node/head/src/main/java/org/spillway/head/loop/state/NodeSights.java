package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sightings of nodes by this head, besides what the journal says. Loop thread only. */
public final class NodeSights {
    private final Map<String, Instant> lastHeard = new HashMap<>();
    private final Map<String, Instant> lastBusy = new HashMap<>();
    private final Map<String, Instant> notStarted = new HashMap<>();
    private final Set<String> gone = new HashSet<>();

    /** The node's director had heard of it then; what was heard later stays. */
    public void heard(String node, Instant then) {
        lastHeard.merge(node, then, (old, last) -> last.isAfter(old) ? last : old);
    }

    /** Null when this head has not heard of it. */
    public @Nullable Instant lastHeard(String node) {
        return lastHeard.get(node);
    }

    /** The node has a job. */
    public void busy(String node, Instant now) {
        lastBusy.put(node, now);
    }

    /** Null when it had no job in the life of this head. */
    public @Nullable Instant lastBusy(String node) {
        return lastBusy.get(node);
    }

    /** A listing proves that its instance is no more. */
    public void gone(String node) {
        gone.add(node);
    }

    public boolean isGone(String node) {
        return gone.contains(node);
    }

    /** A stopped node that could not be started. */
    public void notStarted(String node, Instant now) {
        notStarted.put(node, now);
    }

    /** The node may be tried again. */
    public void mayBeStarted(String node) {
        notStarted.remove(node);
    }

    /** All that failed to start before then may be tried again. */
    public void mayBeStartedIfBefore(Instant then) {
        notStarted.values().removeIf(failed -> failed.isBefore(then));
    }

    public boolean wasNotStarted(String node) {
        return notStarted.containsKey(node);
    }

    /** The node has ended. */
    public void forget(String node) {
        gone.remove(node);
        lastHeard.remove(node);
        lastBusy.remove(node);
        notStarted.remove(node);
    }
}
