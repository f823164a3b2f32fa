package org.spillway.scaler.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.spillway.policy.Demand;
import org.spillway.policy.Offering;
import org.spillway.policy.Resources;

/**
 * Alike nodes, existing or to be bought, with the same room left on each.
 *
 * @param place where a gang on them would be; of nodes to be bought, that of the first acceptable offering
 * @param nodes ids of existing nodes, sorted; empty for nodes to be bought
 * @param count how many nodes
 * @param free left on each; for nodes to be bought, on one of the first acceptable offering
 * @param acceptable offerings that can hold what is on the node, best first; empty for existing nodes
 * @param used placed on each so far, by the packing
 * @param shapes placed on each so far
 * @param closed nothing else may be placed on it: it is bought for a gang
 */
record Room(
        GangPlace place,
        Set<String> features,
        List<String> nodes,
        int count,
        Resources free,
        List<Offering> acceptable,
        Resources used,
        List<String> shapes,
        boolean closed) {

    static Room existing(GangPlace place, Set<String> features, List<String> nodes, Resources free) {
        return new Room(place, features, nodes, nodes.size(), free, List.of(), Resources.NONE, List.of(), false);
    }

    /** New nodes with {@code slots} of the demand on each. @param group of a gang's nodes, where they stand on a fabric */
    static Room bought(Demand demand, List<Offering> acceptable, int count, int slots, String group) {
        Offering first = acceptable.get(0);
        Resources used = Slots.times(demand.perNode(), slots);
        return new Room(
                GangPlace.of(first, group),
                first.features(),
                List.of(),
                count,
                first.resources().minus(used),
                List.copyOf(acceptable),
                used,
                List.of(demand.shape()),
                demand.nodes() > 1);
    }

    /** New nodes with this on each; the first offering is what they will probably be. */
    static Room bought(List<String> shapes, List<Offering> acceptable, int count, Resources used) {
        Offering first = acceptable.get(0);
        return new Room(
                GangPlace.of(first, ""),
                first.features(),
                List.of(),
                count,
                first.resources().minus(used),
                acceptable,
                used,
                shapes,
                false);
    }

    /** Some of these nodes, with that many more slots of each demand on each. */
    Room part(int from, int size, List<Demand> demands, int[] slots) {
        Room some = new Room(place, features, part(from, size), size, free, acceptable, used, shapes, closed);
        for (int shape = 0; shape < slots.length; shape++) {
            if (slots[shape] > 0) {
                some = some.take(demands.get(shape), 0, size, slots[shape]);
            }
        }
        return some;
    }

    String site() {
        return place.site();
    }

    boolean exists() {
        return acceptable.isEmpty();
    }

    /** How many slots of the demand one node takes, at most {@code most}. */
    int slotsPerNode(Demand demand, int most) {
        // The test that most often says no, and costs least, comes first.
        return !closed
                        && demand.perNode().fitsIn(free)
                        && demand.sites().contains(site())
                        && features.containsAll(demand.features())
                ? Slots.fit(demand.perNode(), free, most)
                : 0;
    }

    /** The first nodes of this, with that many more slots of the demand on each. */
    Room take(Demand demand, int from, int nodesTaken, int slots) {
        Resources more = Slots.times(demand.perNode(), slots);
        Resources total = used.plus(more);
        List<Offering> still = acceptable.stream()
                .filter(offering -> permits(demand, offering) && total.fitsIn(offering.resources()))
                .toList();
        List<String> names = new ArrayList<>(shapes);
        names.add(demand.shape());
        return new Room(
                place, features, part(from, nodesTaken), nodesTaken, free.minus(more), still, total, names, closed);
    }

    Room rest(int from) {
        return new Room(
                place, features, part(from, count - from), count - from, free, acceptable, used, shapes, closed);
    }

    private List<String> part(int from, int size) {
        return nodes.isEmpty() ? nodes : nodes.subList(from, from + size);
    }

    static boolean permits(Demand demand, Offering offering) {
        return demand.perNode().fitsIn(offering.resources())
                && demand.sites().contains(offering.id().site())
                && offering.features().containsAll(demand.features());
    }
}
