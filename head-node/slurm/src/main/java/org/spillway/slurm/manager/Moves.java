package org.spillway.slurm.manager;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.spillway.head.workload.ForeignJob;
import org.spillway.slurm.manager.WantedNode.Phase;

/**
 * Idle nodes that take the slots which waiting jobs name with {@code --nodelist}: what is there already need not be bought.
 * A node is drained where it is before it goes, as Slurm may give it a job at any moment. Pure.
 */
final class Moves {
    /** @param from its slot now @param to the slot that it is to have */
    record Move(String from, String to) {
        /** Which of the two it has: the other one only when no job can come to this one any more. */
        String slotOf(Map<String, SlurmNode> nodes) {
            SlurmNode here = nodes.get(from);
            return here != null && here.isDrained() && !here.isBusy() ? to : from;
        }

        Optional<SlurmOrder> drain(SlurmNode here) {
            return here.isDrained()
                    ? Optional.empty()
                    : Optional.of(new SlurmOrder.Drain(here.name(), "its node becomes " + to));
        }
    }

    private Moves() {}

    /** The slots that jobs wait for, by the jobs of the last look. */
    static Set<String> named(Collection<ForeignJob> jobs, Collection<JobBook.Item> items, JobBook book) {
        Set<String> waiting = new HashSet<>();
        jobs.stream()
                .filter(job -> job.status() instanceof ForeignJob.Status.Waiting)
                .forEach(job -> waiting.add(job.key()));
        Set<String> named = new TreeSet<>();
        items.stream()
                .filter(item -> !item.row().requiredNodes().isEmpty() && waiting.contains(book.key(item)))
                .forEach(item -> named.addAll(required(item.row())));
        return named;
    }

    /** Slots that are neither free nor idle: another node would get another slot. */
    static Set<String> engaged(Set<String> declared, Map<String, SlurmNode> nodes) {
        return nodes.values().stream()
                .filter(node -> declared.contains(node.name()))
                .filter(node -> !node.isFree() && (!node.isUp() || node.isBusy()))
                .map(SlurmNode::name)
                .collect(Collectors.toSet());
    }

    /** @return why a job waits for a node that is not to be bought; empty for no such reason */
    static String engaged(SlurmJob row, Set<String> engaged) {
        return required(row).stream()
                .filter(engaged::contains)
                .findFirst()
                .map(name -> "it waits for " + name + ", which has other jobs or is kept from jobs: no node is bought"
                        + " meanwhile")
                .orElse("");
    }

    /** Empty for a list that cannot be read, too, of which {@link Suitable} speaks. */
    private static List<String> required(SlurmJob row) {
        try {
            return HostList.names(row.requiredNodes());
        } catch (NumberFormatException unreadable) {
            return List.of();
        }
    }

    /** @param before slots by node, of the last plan @return by node; never two to one slot, nor from one that is named */
    static Map<String, Move> of(
            Map<String, Slots.Slot> declared,
            Map<String, WantedNode> wanted,
            Map<String, String> before,
            NodePlan.Seen seen) {
        Map<String, Move> moves = new HashMap<>();
        Map<String, Integer> joining = new HashMap<>();
        wanted.forEach((id, node) -> {
            if (node.phase() == Phase.SERVING && !before.containsKey(id)) {
                joining.merge(shape(node), 1, Integer::sum);
            }
        });
        Set<String> had = Set.copyOf(before.values());
        for (String name : new TreeSet<>(seen.named())) {
            Slots.Slot slot = declared.get(name);
            SlurmNode its = seen.nodes().get(name);
            if (slot == null || its == null || !its.isFree() || had.contains(name)) {
                continue;
            }
            String shape = slot.site() + "/" + slot.type();
            if (joining.merge(shape, -1, Integer::sum) >= 0) {
                // A node that has no slot yet takes this one.
                continue;
            }
            for (String id : new TreeSet<>(before.keySet())) {
                WantedNode node = wanted.get(id);
                SlurmNode here = seen.nodes().get(before.get(id));
                if (node != null
                        && here != null
                        && !moves.containsKey(id)
                        && shape.equals(shape(node))
                        && mayGo(node, here, seen)) {
                    moves.put(id, new Move(here.name(), name));
                    break;
                }
            }
        }
        return moves;
    }

    private static boolean mayGo(WantedNode node, SlurmNode here, NodePlan.Seen seen) {
        boolean ours = here.isDrained() && here.isOurs();
        return node.phase() == Phase.SERVING
                && here.address().equals(node.node().address())
                && !seen.named().contains(here.name())
                && !here.isBusy()
                && (here.isUp() || (ours && !here.isGoingOff() && !here.isPoweredDown()));
    }

    private static String shape(WantedNode node) {
        return node.node().site() + "/" + node.node().type();
    }
}
