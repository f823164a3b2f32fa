package org.spillway.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;

/**
 * Who is served first where money or limits do not suffice for all.
 *
 * <p>A larger priority first. Among equals, dominant-resource fairness by progressive filling (A. Ghodsi and others,
 * NSDI 2011): the account whose use per weight is least gets its oldest demand, which then counts as used with its largest
 * part of any resource; and so on. Without shares, age alone decides. O(s log s) for s shapes.
 */
final class Importance {
    private static final Comparator<Demand> OLDEST_FIRST =
            Comparator.comparing(Demand::oldestSubmit).thenComparing(Demand::shape);

    private Importance() {}

    static List<Demand> order(ClusterSnapshot now) {
        TreeMap<Long, List<Demand>> byPriority = new TreeMap<>(Comparator.reverseOrder());
        now.demands()
                .forEach(demand -> byPriority
                        .computeIfAbsent(demand.terms().priority(), priority -> new ArrayList<>())
                        .add(demand));
        List<Demand> order = new ArrayList<>(now.demands().size());
        if (now.shares().isEmpty()) {
            byPriority
                    .values()
                    .forEach(alike -> alike.stream().sorted(OLDEST_FIRST).forEach(order::add));
            return List.copyOf(order);
        }
        Map<String, Taker> takers = new HashMap<>();
        now.shares().forEach(share -> takers.put(share.name(), new Taker(share.name(), share.weight(), share.used())));
        Total total = Total.of(now);
        Set<String> shared = Set.copyOf(takers.keySet());
        byPriority.values().forEach(alike -> fill(alike, takers, shared, total, order));
        return List.copyOf(order);
    }

    private static void fill(
            List<Demand> alike, Map<String, Taker> takers, Set<String> shared, Total total, List<Demand> order) {
        // A taker's place in the queue changes only while it is out of it.
        PriorityQueue<Taker> queue = new PriorityQueue<>(Comparator.comparingDouble(Taker::perWeight)
                .thenComparing(taker -> taker.waiting.get(taker.next), OLDEST_FIRST));
        List<Taker> here = new ArrayList<>();
        alike.stream().sorted(OLDEST_FIRST).forEach(demand -> {
            Taker taker = takers.computeIfAbsent(takerOf(demand, shared), name -> new Taker(name, 1, 0));
            if (taker.next == taker.waiting.size()) {
                here.add(taker);
                taker.waiting = new ArrayList<>();
                taker.next = 0;
            }
            taker.waiting.add(demand);
        });
        here.stream().distinct().forEach(queue::add);
        while (!queue.isEmpty()) {
            Taker taker = queue.remove();
            Demand demand = taker.waiting.get(taker.next++);
            order.add(demand);
            taker.used += total.dominantPart(demand);
            if (taker.next < taker.waiting.size()) {
                queue.add(taker);
            }
        }
    }

    /** The demand's account; its queue where it has none, or where queues have shares and its account has not. */
    private static String takerOf(Demand demand, Set<String> shared) {
        String account = demand.terms().account();
        boolean byQueue = account.isEmpty() || (!shared.contains(account) && shared.contains(demand.queue()));
        return byQueue ? demand.queue() : account;
    }

    private static final class Taker {
        private final String name;
        private final double weight;
        private double used;
        private List<Demand> waiting = List.of();
        private int next;

        Taker(String name, double weight, double used) {
            this.name = name;
            this.weight = weight;
            this.used = used;
        }

        double perWeight() {
            return used / weight;
        }

        @Override
        public String toString() {
            return name + " " + perWeight();
        }
    }

    /** All that there is and all that is asked for, as what a part is a part of. */
    private record Total(double cpus, double memoryMebibytes, double gpus) {
        /** Whole units, so that sums are exact and no order of adding matters. */
        private static final long MEBI = 1L << 20;

        static Total of(ClusterSnapshot now) {
            double cpus = 0;
            double memory = 0;
            double gpus = 0;
            for (NodeView node : now.nodes()) {
                cpus += node.total().cpus();
                memory += (double) mebibytes(node.total());
                gpus += node.total().gpus();
            }
            for (Demand demand : now.demands()) {
                double slots = (double) demand.jobs() * demand.nodes();
                cpus += slots * demand.perNode().cpus();
                memory += slots * mebibytes(demand.perNode());
                gpus += slots * demand.perNode().gpus();
            }
            return new Total(cpus, memory, gpus);
        }

        double dominantPart(Demand demand) {
            double slots = (double) demand.jobs() * demand.nodes();
            return Math.max(
                    part(slots * demand.perNode().gpus(), gpus),
                    Math.max(
                            part(slots * demand.perNode().cpus(), cpus),
                            part(slots * mebibytes(demand.perNode()), memoryMebibytes)));
        }

        private static long mebibytes(Resources resources) {
            return resources.memoryBytes() / MEBI;
        }

        private static double part(double some, double all) {
            return all > 0 ? some / all : 0;
        }
    }
}
