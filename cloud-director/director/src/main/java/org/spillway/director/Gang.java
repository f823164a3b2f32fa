package org.spillway.director;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.spillway.director.wire.JobOrder;

/** When the nodes of one attempt may start: all of them, or none. */
final class Gang {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?");

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

    /**
     * Ids of all nodes of an attempt by rank, with commas; empty for one node alone, and while not all are ordered; a dash where
     * one cannot be the name of a machine.
     *
     * @param orders of all attempts in the directive that counts
     */
    static String names(JobOrder one, List<JobOrder> orders) {
        if (one.peers().size() < 2) {
            return "";
        }
        Map<Integer, String> nodes = new TreeMap<>();
        for (JobOrder order : orders) {
            if (order.job().equals(one.job()) && order.attempt() == one.attempt()) {
                nodes.putIfAbsent(order.rank(), order.node());
            }
        }
        if (nodes.size() != one.peers().size()) {
            return "";
        }
        return nodes.values().stream().allMatch(node -> NAME.matcher(node).matches())
                ? String.join(",", nodes.values())
                : "-";
    }
}
