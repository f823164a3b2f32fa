package org.spillway.head.ondemand;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.limits.Places;
import org.spillway.head.loop.port.Effects;
import org.spillway.head.ondemand.Clusters.Seen;

/**
 * Clusters whose nodes were refused: why, and the word to their heads to ask again once something of the site has ended.
 * One word for each refusal; a head that misses it asks by itself after its pause.
 */
final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);

    private final Journal journal;
    private final Effects effects;
    private final Children children;
    private final Estate estate;
    private final Places places = new Places();
    /** The time at which something of a site ended last. */
    private final Map<String, Instant> freedAt = new HashMap<>();

    Refusals(Journal journal, Effects effects, Children children, Estate estate) {
        this.journal = journal;
        this.effects = effects;
        this.children = children;
        this.estate = estate;
    }

    void look(Instant now) {
        places.freed(journal.liveNodes(), journal.delegations()).forEach(site -> freedAt.put(site, now));
    }

    void wake(ClusterRecord child, Seen its) {
        Instant freed = freedAt.get(child.spec().site());
        Optional<Estate.Refusal> refusal = estate.refusal(child.id());
        if (freed == null || refusal.isEmpty() || !freed.isAfter(refusal.get().at())) {
            return;
        }
        Instant at = refusal.get().at();
        if (at.equals(its.wokenAfter) || effects.isUnderWay(Clusters.key(child, "wake"))) {
            return;
        }
        its.wokenAfter = at;
        effects.begin(
                Clusters.key(child, "wake"),
                () -> {
                    children.wake(child);
                    return true;
                },
                told -> {},
                failure -> LOG.info("cluster {}: not told that there is room: {}", child.id(), Clusters.said(failure)));
    }

    /** The nodes that are still to come, and why they do not; none when all are ready. Any thread. */
    Cause awaited(ClusterRecord child, int ready) throws IOException {
        int wanted = child.spec().nodes();
        if (ready >= wanted) {
            return Cause.NONE;
        }
        Optional<Estate.Refusal> refusal = estate.refusal(child.id());
        return refusal.isPresent() && estate.instances(child.id()) < wanted
                ? new ClusterCause.NodesRefused(ready, wanted, refusal.get().said())
                : new ClusterCause.NodesAwaited(ready, wanted);
    }

    /** Why a cluster that runs has fewer nodes than it is to have; none when it has them, or nobody refused any. */
    Cause shortOf(ClusterRecord child) {
        int there = estate.instances(child.id());
        int wanted = child.spec().nodes();
        return there >= wanted
                ? Cause.NONE
                : estate.refusal(child.id())
                        .<Cause>map(no -> new ClusterCause.NodesRefused(there, wanted, no.said()))
                        .orElse(Cause.NONE);
    }
}
