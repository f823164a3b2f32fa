package org.spillway.scaler.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;
import org.spillway.policy.Resources;

/**
 * When jobs would start on nodes that exist: list scheduling (R. L. Graham, 1969), each demand on the room that is free
 * first, without backfill. Lives within one call.
 *
 * <p>A group of alike nodes has some room now and all of its room when its last job is expected to end. A demand takes slots
 * group by group, the earliest first; once it has taken every group, the rest of its jobs follow in rounds of its expected
 * run time, whose number is found by bisection. A gang starts in one {@link GangPlace} when the last of its nodes is free. Both err on
 * the late side where jobs of different lengths share a node: what one leaves is counted only now or when all have ended.
 *
 * <p>s demands, g groups: O(s g log g), and no term in the number of jobs. A demand adds at most two groups.
 */
final class StartEstimate {
    private static final long SHORTEST_RUN = 1;
    private static final long NEVER = Long.MAX_VALUE / 4;

    /** Alike nodes; times in seconds from now. */
    private static final class Group {
        final GangPlace place;
        final Set<String> features;
        final Resources total;
        int count;
        long freeAt;
        Resources free;
        /** When all of {@link #total} is free; {@link #NEVER} when nobody knows. */
        long allFreeAt;

        Group(
                GangPlace place,
                Set<String> features,
                Resources total,
                int count,
                long freeAt,
                Resources free,
                long all) {
            this.place = place;
            this.features = features;
            this.total = total;
            this.count = count;
            this.freeAt = freeAt;
            this.free = free;
            this.allFreeAt = all;
        }

        boolean permits(Demand demand) {
            return demand.sites().contains(place.site()) && features.containsAll(demand.features());
        }

        long offeredAt(Demand demand) {
            return demand.perNode().fitsIn(free)
                    ? freeAt
                    : allFreeAt < NEVER && demand.perNode().fitsIn(total) ? allFreeAt : NEVER;
        }

        int slots(Demand demand, int most) {
            return demand.perNode().timesIn(demand.perNode().fitsIn(free) ? free : total, most);
        }

        /** Puts that many slots on each node, from when it is offered. */
        void take(Demand demand, int slots, long run) {
            long at = offeredAt(demand);
            boolean now = demand.perNode().fitsIn(free);
            free = (now ? free : total).minus(Slots.times(demand.perNode(), slots));
            freeAt = at;
            allFreeAt = now && allFreeAt >= NEVER ? NEVER : Math.max(now ? allFreeAt : 0, at + run);
        }

        Group part(int nodes) {
            count -= nodes;
            return new Group(place, features, total, nodes, freeAt, free, allFreeAt);
        }
    }

    private final Instant now;
    private List<Group> groups = new ArrayList<>();

    private StartEstimate(Instant now) {
        this.now = now;
    }

    static Map<String, Instant> of(List<Demand> demands, List<NodeView> nodes, Instant now, Look look) {
        StartEstimate estimate = new StartEstimate(now);
        estimate.groups = estimate.grouped(nodes, look);
        Map<String, Instant> starts = new HashMap<>();
        for (Demand demand : demands) {
            long last = demand.nodes() == 1 ? estimate.singles(demand) : estimate.gangs(demand);
            if (last < NEVER) {
                starts.put(demand.shape(), now.plusSeconds(last));
            }
        }
        return Map.copyOf(starts);
    }

    /** Facts of a node that its offering tells. */
    interface Look {
        Set<String> features(NodeView node);

        Duration boot(NodeView node);
    }

    private List<Group> grouped(List<NodeView> nodes, Look look) {
        Map<List<Object>, Group> alike = new LinkedHashMap<>();
        nodes.stream().sorted(Comparator.comparing(NodeView::id)).forEach(node -> {
            long freeAt = 0;
            long allFreeAt = 0;
            switch (node.phase()) {
                case IDLE -> {}
                case IN_FLIGHT -> {
                    freeAt = seconds(node.since().plus(look.boot(node)));
                    allFreeAt = freeAt;
                }
                case ALLOCATED -> {
                    Instant until = node.duty().busyUntil();
                    allFreeAt = until == null ? NEVER : seconds(until);
                }
                case DRAINING, STOPPED -> {
                    return;
                }
            }
            Group group =
                    new Group(GangPlace.of(node), look.features(node), node.total(), 1, freeAt, node.free(), allFreeAt);
            alike.merge(
                    List.of(group.place, group.features, group.total, group.free, freeAt, allFreeAt), group, (a, b) -> {
                        a.count++;
                        return a;
                    });
        });
        return new ArrayList<>(alike.values());
    }

    private long seconds(Instant at) {
        return Math.min(NEVER - 1, Math.max(0, Duration.between(now, at).toSeconds()));
    }

    private static long run(Demand demand) {
        return Math.max(SHORTEST_RUN, demand.terms().expected().toSeconds());
    }

    private List<Group> usable(Demand demand) {
        return groups.stream()
                .filter(group -> group.permits(demand) && group.offeredAt(demand) < NEVER)
                .sorted(Comparator.comparingLong(group -> group.offeredAt(demand)))
                .toList();
    }

    private long singles(Demand demand) {
        long left = demand.jobs();
        long last = NEVER;
        List<Group> taken = new ArrayList<>();
        for (Group group : usable(demand)) {
            int slots = group.slots(demand, (int) left);
            long nodes = Math.min(group.count, Math.ceilDiv(left, (long) slots));
            Group mine = nodes < group.count ? split(group, (int) nodes) : group;
            last = mine.offeredAt(demand);
            mine.take(demand, slots, run(demand));
            taken.add(mine);
            left = Math.max(0, left - nodes * slots);
            if (left == 0) {
                return last;
            }
        }
        return rounds(demand, taken, left);
    }

    private Group split(Group group, int nodes) {
        Group mine = group.part(nodes);
        groups.add(mine);
        return mine;
    }

    /** All groups are taken once: the rest runs on whole nodes, round after round. */
    private static long rounds(Demand demand, List<Group> taken, long left) {
        List<Group> whole = taken.stream()
                .filter(group -> group.allFreeAt < NEVER && demand.perNode().fitsIn(group.total))
                .toList();
        if (whole.isEmpty()) {
            return NEVER;
        }
        long run = run(demand);
        long low = whole.stream().mapToLong(group -> group.allFreeAt).min().orElseThrow();
        long high = low;
        while (high < NEVER && served(demand, whole, high, run) < left) {
            high = Math.min(NEVER, Math.max(high * 2, high + run));
        }
        while (low < high) {
            long middle = low + (high - low) / 2;
            if (served(demand, whole, middle, run) >= left) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        long last = low;
        whole.stream().filter(group -> group.allFreeAt <= last).forEach(group -> {
            int slots = demand.perNode().timesIn(group.total, demand.jobs());
            group.freeAt = group.allFreeAt + (last - group.allFreeAt) / run * run;
            group.free = group.total.minus(Slots.times(demand.perNode(), slots));
            group.allFreeAt = group.freeAt + run;
        });
        return last;
    }

    /** Jobs that have started by then. */
    private static long served(Demand demand, List<Group> whole, long until, long run) {
        long jobs = 0;
        for (Group group : whole) {
            if (group.allFreeAt <= until) {
                long rounds = (until - group.allFreeAt) / run + 1;
                long slots = (long) group.count * demand.perNode().timesIn(group.total, demand.jobs());
                jobs = slots > 0 && rounds > NEVER / slots ? NEVER : Math.min(NEVER, jobs + rounds * slots);
            }
        }
        return jobs;
    }

    /** Where the last of them starts first; of equals in the site that the demand prefers. */
    private long gangs(Demand demand) {
        Map<GangPlace, List<Group>> places = new LinkedHashMap<>();
        usable(demand)
                .forEach(group -> places.computeIfAbsent(group.place, place -> new ArrayList<>())
                        .add(group));
        Optional<GangSite> best = places.entrySet().stream()
                .sorted(Comparator.comparingInt((Map.Entry<GangPlace, List<Group>> one) ->
                                demand.sites().indexOf(one.getKey().site()))
                        .thenComparing(Map.Entry::getKey, GangPlace.BY_NAME))
                .map(one -> new GangSite(demand, one.getValue()))
                .filter(site -> site.last() < NEVER)
                .min(Comparator.comparingLong(GangSite::last));
        if (best.isEmpty()) {
            return NEVER;
        }
        long last = best.get().last();
        long left = best.get().nodesTaken();
        for (Group group : best.get().groups()) {
            int nodes = (int) Math.min(left, group.count);
            if (nodes == 0) {
                break;
            }
            Group mine = nodes < group.count ? split(group, nodes) : group;
            mine.take(demand, 1, run(demand));
            mine.freeAt = Math.max(mine.freeAt, last);
            mine.allFreeAt = mine.allFreeAt >= NEVER ? NEVER : Math.max(mine.allFreeAt, last + run(demand));
            left -= nodes;
        }
        return last;
    }

    /** A slot of a gang on each node, as many gangs side by side as there are nodes for, in rounds. */
    private record GangSite(Demand demand, List<Group> groups) {
        long nodesTaken() {
            long nodes = groups.stream().mapToLong(group -> group.count).sum();
            return Math.min(nodes / demand.nodes(), demand.jobs()) * demand.nodes();
        }

        long last() {
            long taken = nodesTaken();
            if (taken == 0) {
                return NEVER;
            }
            long left = taken;
            long first = 0;
            for (Group group : groups) {
                if (left > 0) {
                    first = group.offeredAt(demand);
                    left -= group.count;
                }
            }
            long rounds = Math.ceilDiv((long) demand.jobs() * demand.nodes(), taken) - 1;
            long again = groups.stream()
                    .mapToLong(group -> group.allFreeAt)
                    .filter(at -> at < NEVER)
                    .max()
                    .orElse(NEVER);
            long start = rounds == 0 ? first : Math.max(first + run(demand), again);
            long run = run(demand);
            return start >= NEVER || (rounds > 1 && rounds > NEVER / run)
                    ? NEVER
                    : Math.min(NEVER, start + Math.max(0, rounds - 1) * run);
        }
    }
}
