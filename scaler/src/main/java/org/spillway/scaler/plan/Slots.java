package org.spillway.scaler.plan;

import org.spillway.policy.Resources;

/** Arithmetic on counts: how often a request fits, without trying one by one. */
final class Slots {
    private Slots() {}

    /** How many of {@code request} fit into {@code free} side by side; at most {@code most}, which also bounds an empty request. */
    static int fit(Resources request, Resources free, int most) {
        return request.timesIn(free, most);
    }

    /** {@code request} for this many slots that are known to fit into something. The model is left out: it is no amount. */
    static Resources times(Resources request, int slots) {
        return new Resources(
                Math.multiplyExact(request.cpus(), slots),
                Math.multiplyExact(request.memoryBytes(), (long) slots),
                Math.multiplyExact(request.gpus(), slots),
                "",
                Math.multiplyExact(request.localDiskBytes(), (long) slots));
    }

    /**
     * How many whole gangs fit at once. A node takes a gang's slot once only, so that {@code jobs} gangs of {@code nodes}
     * slots fit exactly if the sum over nodes of min(capacity, jobs) is at least jobs x nodes (dealing the slots out in
     * turn then never meets a node twice). The sum is concave in jobs, so a binary search finds the largest.
     */
    static int wholeGangs(int jobs, int nodes, Capacity capacity) {
        int low = 0;
        int high = jobs;
        while (low < high) {
            int middle = high - (high - low) / 2;
            if (capacity.slots(middle) >= (long) middle * nodes) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Slots in sum, if each node takes at most this many. */
    @FunctionalInterface
    interface Capacity {
        long slots(int mostPerNode);
    }
}
