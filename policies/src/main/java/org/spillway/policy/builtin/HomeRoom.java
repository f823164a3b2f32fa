package org.spillway.policy.builtin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Market;
import org.spillway.policy.NodeView;
import org.spillway.policy.Resources;

/**
 * How many jobs would start on nodes at home by a certain time: what one demand takes is gone for the next. A fluid
 * estimate by expected run times: a node whose last job ends at t starts a slot's jobs at t, t + e, t + 2e and so on. Costs
 * shapes times groups of alike nodes, whatever the number of jobs. Lives within one decision.
 */
final class HomeRoom {
    /** Ends that are this close to each other are one to the estimate. */
    private static final long ROUNDED_SECONDS = 60;

    private static final int SEARCH_STEPS = 24;
    /** More jobs than this share no node. */
    private static final int SLOTS = 10_000;

    private final Instant begin;
    private final List<Group> groups = new ArrayList<>();

    /**
     * Alike nodes.
     *
     * @param open seconds from now until all of a node is free
     */
    private record Kind(String site, Resources total, Resources free, long open) {}

    private static final class Group {
        private final Kind kind;
        private final int nodes;
        /** Seconds of each node that demands before this one have taken. */
        private double taken;

        Group(Kind kind, int nodes) {
            this.kind = kind;
            this.nodes = nodes;
        }

        /** Slots that start by this time. */
        double starts(Demand demand, double seconds, double each) {
            if (!isFor(demand)) {
                return 0;
            }
            int early = demand.perNode().timesIn(kind.free(), SLOTS);
            int all = Math.max(early, demand.perNode().timesIn(kind.total(), SLOTS));
            return (double) nodes
                    * (early * waves(seconds - taken, each)
                            + (all - early) * waves(seconds - taken - kind.open(), each));
        }

        private static double waves(double seconds, double each) {
            return seconds < 0 ? 0 : Math.floor(seconds / each) + 1;
        }

        double slots(Demand demand) {
            return isFor(demand) ? demand.perNode().timesIn(kind.total(), SLOTS) : 0;
        }

        /** Nodes at home have no features that anybody knows of, and are bought in no market. */
        private boolean isFor(Demand demand) {
            return demand.features().stream().allMatch(Market::isFeature)
                    && demand.sites().contains(kind.site());
        }
    }

    HomeRoom(ClusterSnapshot now) {
        begin = now.now();
        Map<Kind, Integer> alike = new LinkedHashMap<>();
        for (NodeView node : now.nodes()) {
            if (isHome(node)) {
                open(node)
                        .ifPresent(open ->
                                alike.merge(new Kind(node.site(), node.total(), node.free(), open), 1, Integer::sum));
            }
        }
        alike.forEach((kind, nodes) -> groups.add(new Group(kind, nodes)));
    }

    static boolean isHome(NodeView node) {
        return node.offering() == null
                && switch (node.phase()) {
                    case IDLE, ALLOCATED, IN_FLIGHT -> true;
                    case DRAINING, STOPPED -> false;
                };
    }

    private Optional<Long> open(NodeView node) {
        if (node.phase() != NodeView.Phase.ALLOCATED) {
            return Optional.of(0L);
        }
        Instant until = node.duty().busyUntil();
        if (until == null) {
            return Optional.empty();
        }
        long seconds = Math.max(0, Duration.between(begin, until).toSeconds());
        return Optional.of(Math.ceilDiv(seconds, ROUNDED_SECONDS) * ROUNDED_SECONDS);
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    /**
     * @param within from now, in which they start
     * @param expected run time of one
     * @return how many jobs of the demand would start in time, at most all; they are taken
     */
    int take(Demand demand, Duration within, Duration expected) {
        double each = Math.max(1, expected.toSeconds());
        double latest = within.toSeconds();
        if (groups.isEmpty() || within.isNegative()) {
            return 0;
        }
        int jobs = jobs(demand, latest, each);
        if (jobs == 0) {
            return 0;
        }
        double enough = latest;
        if (jobs == demand.jobs()) {
            double low = -1;
            for (int step = 0; step < SEARCH_STEPS && enough - low > 1; step++) {
                double middle = (low + enough) / 2;
                if (jobs(demand, middle, each) >= jobs) {
                    enough = middle;
                } else {
                    low = middle;
                }
            }
        }
        use(demand, enough, each, (double) jobs * demand.nodes());
        return jobs;
    }

    private int jobs(Demand demand, double seconds, double each) {
        double slots = 0;
        for (Group group : groups) {
            slots += group.starts(demand, seconds, each);
        }
        return (int) Math.min(demand.jobs(), Math.floor(slots / demand.nodes()));
    }

    private void use(Demand demand, double seconds, double each, double slots) {
        double left = slots;
        for (Group group : groups) {
            double here = Math.min(left, group.starts(demand, seconds, each));
            if (here > 0) {
                group.taken += each * here / (group.nodes * Math.max(1, group.slots(demand)));
                left -= here;
            }
        }
    }
}
