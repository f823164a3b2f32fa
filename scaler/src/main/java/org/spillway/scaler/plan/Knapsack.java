package org.spillway.scaler.plan;

import java.util.List;
import java.util.stream.IntStream;
import org.spillway.policy.Demand;
import org.spillway.policy.Resources;

/**
 * Finds a good pattern for one kind of node: slots of shapes that fit together and are worth most. Greedy by worth per share
 * of the node, by the sum of shares and by the largest (the norms of R. Panigrahy and others, Heuristics for vector bin
 * packing, 2011); with effort also once for each shape that is put there first, as often as it fits or half as often.
 */
final class Knapsack {
    private static final int SIZES = 4;
    private static final int MOST_STEPS = 4_000;
    private static final double TINY = 1e-12;

    private final long[] room;
    private final long[][] needs;
    private final double[] sumOfShares;
    private final double[] largestShare;
    private final int[] mostAlone;

    /** @param permitted which of the demands may be put there */
    Knapsack(Resources free, List<Demand> demands, boolean[] permitted) {
        int shapes = demands.size();
        room = sizes(free);
        needs = new long[shapes][];
        sumOfShares = new double[shapes];
        largestShare = new double[shapes];
        mostAlone = new int[shapes];
        for (int shape = 0; shape < shapes; shape++) {
            Demand demand = demands.get(shape);
            needs[shape] = sizes(demand.perNode());
            mostAlone[shape] = permitted[shape] ? demand.perNode().timesIn(free, demand.jobs()) : 0;
            for (int size = 0; size < SIZES; size++) {
                double share = room[size] == 0 ? 0 : (double) needs[shape][size] / room[size];
                sumOfShares[shape] += share;
                largestShare[shape] = Math.max(largestShare[shape], share);
            }
        }
    }

    private static long[] sizes(Resources resources) {
        return new long[] {resources.cpus(), resources.memoryBytes(), resources.gpus(), resources.localDiskBytes()};
    }

    /**
     * @param worth of a slot of each shape; more than these may follow
     * @param most slots of each shape that are wanted
     * @param effort whether to search for better ones than the greedy two
     */
    int[] best(double[] worth, int[] most, boolean effort) {
        Integer[] bySum = order(worth, sumOfShares);
        int[] best = fill(bySum, most);
        int[] other = fill(order(worth, largestShare), most);
        best = worth(other, worth) > worth(best, worth) + TINY ? other : best;
        return effort ? new Search(bySum, worth, most, best).run() : best;
    }

    /**
     * Depth first over the shapes, most slots first, cut off where even the best of what follows by any one size would not
     * do, and after {@link #MOST_STEPS}.
     */
    private final class Search {
        private final Integer[] order;
        private final double[] worth;
        private final int[] most;
        /** For each place in the order and each size: the most worth per unit of what follows. */
        private final double[][] perUnit;

        private final int[] slots = new int[needs.length];
        private int[] best;
        private double bestWorth;
        private int steps;

        Search(Integer[] order, double[] worth, int[] most, int[] best) {
            this.order = order;
            this.worth = worth;
            this.most = most;
            this.best = best;
            bestWorth = worth(best, worth);
            perUnit = new double[order.length + 1][SIZES];
            for (int place = order.length - 1; place >= 0; place--) {
                for (int size = 0; size < SIZES; size++) {
                    long need = needs[order[place]][size];
                    perUnit[place][size] = Math.max(
                            perUnit[place + 1][size],
                            need == 0 ? Double.POSITIVE_INFINITY : worth[order[place]] / need);
                }
            }
        }

        int[] run() {
            descend(0, room.clone(), 0);
            return best;
        }

        private void descend(int place, long[] left, double sum) {
            if (sum > bestWorth + TINY) {
                bestWorth = sum;
                best = slots.clone();
            }
            if (place == order.length || ++steps > MOST_STEPS || sum + atMost(place, left) <= bestWorth + TINY) {
                return;
            }
            int shape = order[place];
            long[] need = needs[shape];
            long count = Math.min(most[shape], mostAlone[shape]);
            for (int size = 0; size < SIZES; size++) {
                count = need[size] > 0 ? Math.min(count, left[size] / need[size]) : count;
            }
            for (int here = (int) count; here >= 0; here--) {
                long[] then = left.clone();
                for (int size = 0; size < SIZES; size++) {
                    then[size] -= need[size] * here;
                }
                slots[shape] = here;
                descend(place + 1, then, sum + here * worth[shape]);
            }
            slots[shape] = 0;
        }

        private double atMost(int place, long[] left) {
            double least = Double.POSITIVE_INFINITY;
            for (int size = 0; size < SIZES; size++) {
                double by = perUnit[place][size];
                least = by < Double.POSITIVE_INFINITY ? Math.min(least, by * left[size]) : least;
            }
            return least;
        }
    }

    private Integer[] order(double[] worth, double[] shares) {
        return IntStream.range(0, needs.length)
                .filter(shape -> mostAlone[shape] > 0 && worth[shape] > TINY)
                .boxed()
                .sorted((a, b) -> {
                    // A shape that takes no share of anything comes first.
                    int byWorth = Double.compare(worth[b] * shares[a], worth[a] * shares[b]);
                    return byWorth != 0 ? byWorth : Integer.compare(a, b);
                })
                .toArray(Integer[]::new);
    }

    private int[] fill(Integer[] order, int[] most) {
        int[] slots = new int[needs.length];
        long[] left = room.clone();
        for (int shape : order) {
            put(slots, left, shape, most[shape]);
        }
        return slots;
    }

    private void put(int[] slots, long[] left, int shape, int wanted) {
        long count = Math.min(wanted, mostAlone[shape] - slots[shape]);
        long[] need = needs[shape];
        for (int size = 0; size < SIZES; size++) {
            if (need[size] > 0) {
                count = Math.min(count, left[size] / need[size]);
            }
        }
        if (count <= 0) {
            return;
        }
        for (int size = 0; size < SIZES; size++) {
            left[size] -= need[size] * count;
        }
        slots[shape] += (int) count;
    }

    private static double worth(int[] slots, double[] worth) {
        double sum = 0;
        for (int shape = 0; shape < slots.length; shape++) {
            sum += slots[shape] * worth[shape];
        }
        return sum;
    }
}
