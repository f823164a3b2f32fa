package org.spillway.director;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.spillway.director.wire.JobOrder;

/** When the nodes of one attempt may start: all of them, or none. */
final class Gang {
    private Gang() {}

    /**
     * Whether every rank is ordered, none is cancelled, and each has prepared.
     *
     * @param orders of one attempt in the directive that counts
     * @param prepared also true for a node that has started: it does not ask again
     */
    static boolean complete(List<JobOrder> orders, Predicate<JobOrder> prepared) {
        if (orders.isEmpty()) {
            return false;
        }
        int size = orders.getFirst().peers().size();
        Set<Integer> ranks = new HashSet<>();
        for (JobOrder order : orders) {
            if (order.cancel() || order.peers().size() != size || !prepared.test(order) || !ranks.add(order.rank())) {
                return false;
            }
        }
        return ranks.size() == size;
    }
}
