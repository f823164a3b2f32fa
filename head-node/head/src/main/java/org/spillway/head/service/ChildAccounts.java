package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.Site;
import org.spillway.head.ondemand.ChildSites;

/**
 * Sites under the names of clusters on demand, one for each cluster and site. An operation, such as an audit that reads all of
 * a bill, may have one in its hands when its cluster ends: a site is closed when no operation of that time can still run.
 */
final class ChildAccounts implements ChildSites, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChildAccounts.class);
    private static final Duration HELD = Operations.LONGEST.plusMinutes(1);

    private final BiFunction<String, String, Site> opening;
    private final InstantSource clock;
    private final Map<Key, Site> open = new HashMap<>();
    private final Queue<Left> left = new ArrayDeque<>();

    private record Key(String cluster, String site) {}

    private record Left(Site site, Instant since) {}

    /** @param opening by the cluster's id and the site's name */
    ChildAccounts(BiFunction<String, String, Site> opening, InstantSource clock) {
        this.opening = opening;
        this.clock = clock;
    }

    @Override
    public synchronized Site of(String cluster, String site) {
        return open.computeIfAbsent(new Key(cluster, site), key -> opening.apply(cluster, site));
    }

    /** The cluster has ended. Closes what has been left for long enough, of whichever cluster. Idempotent. */
    synchronized void leave(String cluster) {
        Instant now = clock.instant();
        open.entrySet().removeIf(each -> {
            boolean its = each.getKey().cluster().equals(cluster);
            if (its) {
                left.add(new Left(each.getValue(), now));
            }
            return its;
        });
        while (!left.isEmpty() && left.element().since().plus(HELD).isBefore(now)) {
            close(left.remove().site());
        }
    }

    private static void close(Site site) {
        try {
            site.close();
        } catch (RuntimeException alreadyGone) {
            LOG.debug("a child's site could not be closed", alreadyGone);
        }
    }

    @Override
    public synchronized void close() {
        open.values().forEach(ChildAccounts::close);
        open.clear();
        left.forEach(each -> close(each.site()));
        left.clear();
    }
}
