package org.spillway.scaler.plan;

import java.util.List;
import org.spillway.policy.Demand;
import org.spillway.policy.Resources;

/**
 * Finds a good pattern for one kind of node: slots of shapes that fit together and are worth most. Greedy by worth per share
 * of the node, by the sum of shares and by the largest (the norms of R. Panigrahy and others, Heuristics for vector bin
 * packing, 2011); with effort also once for each shape that is put there first, as often as it fits or half as often.
 */
final class Knapsack {
    private static final int SIZES = 4;

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

    boolean takes(int shape) {
        return mostAlone[shape] > 0;
    }

    int[] best(double[] worth, int[] most, boolean effort) {
        Integer[] bySum = order(worth, sumOfShares);
        Integer[] byLargest = order(worth, largestShare);
        int[] best = new int[needs.length];
        double bestWorth = -1;
        for (int start = -1; start < (effort ? needs.length : 0); start++) {
            if (start >= 0 && (mostAlone[start] == 0 || worth[start] <= 0 || most[start] == 0)) {
                continue;
            }
            int alone = start < 0 ? 0 : Math.min(mostAlone[start], most[start]);
            for (int first = alone; first >= 0; first = first > 1 ? first / 2 : -1) {
                for (Integer[] order : List.of(bySum, byLargest)) {
                    int[] slots = fill(order, start, first, most);
                    double sum = worth(slots, worth);
                    if (sum > bestWorth + 1e-12) {
                        bestWorth = sum;
                        best = slots;
                    }
                }
                if (first == 0) {
                    break;
                }
            }
        }
        return best;
    }

    private Integer[] order(double[] worth, double[] shares) {
        return java.util.stream.IntStream.range(0, needs.length)
                .filter(shape -> mostAlone[shape] > 0 && worth[shape] > 1e-12)
                .boxed()
                .sorted((a, b) -> {
                    // A shape that takes no share of anything comes first.
                    int byWorth = Double.compare(worth[b] * shares[a], worth[a] * shares[b]);
                    return byWorth != 0 ? byWorth : Integer.compare(a, b);
                })
                .toArray(Integer[]::new);
    }

    private int[] fill(Integer[] order, int start, int first, int[] most) {
        int[] slots = new int[needs.length];
        long[] left = room.clone();
        if (start >= 0) {
            put(slots, left, start, first);
        }
        for (int shape : order) {
            put(slots, left, shape, most[shape] - slots[shape]);
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
