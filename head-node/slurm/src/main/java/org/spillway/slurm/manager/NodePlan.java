package org.spillway.slurm.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.spillway.slurm.manager.WantedNode.Phase;

/**
 * Orders about nodes that bring Slurm to what the head wants (ADR 13, 15). Pure.
 *
 * <p>Nobody says {@code power_up}: a slurmd that registers makes its slot idle without it, and a flag that Slurm had no
 * time to act on before that stays and powers the slot up once more when its node has left (seen with 22.05.8).
 *
 * @param slots by node: never two nodes on one slot
 * @param orders in the order to say them
 * @param vacant nodes that drain, have nothing of Slurm's, and get nothing any more
 * @param gone nodes that left and whose slot is free again
 * @param withheld why somebody else than the head keeps nodes from jobs, by node
 */
record NodePlan(
        Map<String, String> slots,
        List<SlurmOrder> orders,
        Set<WantedNode> vacant,
        Set<WantedNode> gone,
        Map<String, String> withheld) {
    /** When less than this of the reservation's time is left it is renewed. */
    private static final Duration ENOUGH = SlurmOrder.RESERVED.minusMinutes(1);

    /** When it would begin sooner than this it is put off. */
    private static final Duration SOON = SlurmOrder.AHEAD.minusSeconds(20);

    /** Slurm drains a node when its Prolog ends with an error, which ours does when a job's order is refused. */
    private static final String PROLOG = "Prolog error";

    /** So it does when a slurmctld that has forgotten a run begins it anew where it still is. */
    static final String DUPLICATE = "Duplicate jobid";

    /** The beginnings of reasons that are the head's, or that slurmctld and slurmd of 22.05 give by themselves. */
    private static final List<String> NOBODYS = List.of(
            SlurmOrder.OURS.strip(),
            PROLOG,
            DUPLICATE,
            "Epilog error",
            "Kill task failed",
            "batch job complete failure",
            "Not responding",
            "Node unexpectedly rebooted",
            "ResumeTimeout reached",
            "NO NETWORK ADDRESS FOUND",
            "boot failure",
            "Low ",
            "gres/");

    /** Reasons for which a node stays DOWN that is there again, unless slurm.conf says otherwise for all nodes. */
    private static final List<String> RETURNING =
            List.of("Not responding", "Node unexpectedly rebooted", "ResumeTimeout reached");

    NodePlan {
        slots = Map.copyOf(slots);
        orders = List.copyOf(orders);
        vacant = Set.copyOf(vacant);
        gone = Set.copyOf(gone);
        withheld = Map.copyOf(withheld);
    }

    /**
     * Partitions of the head's.
     *
     * @param all that exist
     * @param shut those whose jobs are given no nodes, for whatever reason
     * @param closed those of them that slurm.conf shuts, and that nobody has opened or shut since it was read
     */
    record Doors(Set<String> all, Set<String> shut, Set<String> closed) {
        Doors {
            all = Set.copyOf(all);
            shut = Set.copyOf(shut);
            closed = Set.copyOf(closed);
        }

        Set<String> open() {
            Set<String> open = new TreeSet<>(all);
            open.removeAll(shut);
            return open;
        }

        /** Partitions that somebody keeps from jobs: not slurm.conf, which waits for the head. */
        Set<String> kept() {
            Set<String> kept = new TreeSet<>(shut);
            kept.removeAll(closed);
            return kept;
        }

        /** Whether a node that may be one of the head's stands in one of them. */
        private boolean have(SlurmNode node) {
            return node.flags().contains("cloud") && node.partitions().stream().anyMatch(all::contains);
        }
    }

    /**
     * @param nodes all that Slurm has, ours or not
     * @param named slots that waiting jobs have to have ({@code --nodelist})
     */
    record Seen(Map<String, SlurmNode> nodes, Optional<SlurmReservation> reservation, Doors doors, Set<String> named) {
        Seen {
            nodes = Map.copyOf(nodes);
            named = Set.copyOf(named);
        }
    }

    /**
     * @param wanted by the node's id
     * @param before {@link #slots} of the last plan; empty after a start: then slots are recognised by their addresses
     * @param complete whether the head has said all that it knows; until then nothing is taken away from anybody
     */
    static NodePlan of(
            Map<String, Slots.Slot> declared,
            Map<String, WantedNode> wanted,
            Map<String, String> before,
            Seen seen,
            boolean complete,
            Instant now) {
        var planning = new Planning(declared, wanted, seen);
        planning.assign(before);
        wanted.forEach(planning::serve);
        if (complete) {
            planning.strangers();
        }
        planning.reserve(complete, now);
        return new NodePlan(planning.slots, planning.orders, planning.vacant, planning.gone, planning.withheld);
    }

    private static final class Planning {
        private final Map<String, Slots.Slot> declared;
        private final Map<String, WantedNode> wanted;
        private final Seen seen;
        private final Map<String, String> slots = new HashMap<>();
        private final Set<String> taken = new HashSet<>();
        private final List<SlurmOrder> orders = new ArrayList<>();
        private final Set<WantedNode> vacant = new HashSet<>();
        private final Set<WantedNode> gone = new HashSet<>();
        private final Map<String, String> withheld = new HashMap<>();
        private final Map<String, Moves.Move> moves = new HashMap<>();
        /** Slots that jobs may be given to. */
        private final Set<String> serving = new HashSet<>();

        Planning(Map<String, Slots.Slot> declared, Map<String, WantedNode> wanted, Seen seen) {
            this.declared = declared;
            this.wanted = wanted;
            this.seen = seen;
        }

        void assign(Map<String, String> before) {
            moves.putAll(Moves.of(declared, wanted, before, seen));
            wanted.keySet().stream().sorted().forEach(id -> {
                String slot = moves.containsKey(id) ? moves.get(id).slotOf(seen.nodes) : before.get(id);
                if (slot != null && declared.containsKey(slot) && seen.nodes.containsKey(slot)) {
                    take(id, slot);
                }
            });
            Map<String, List<SlurmNode>> byAddress = new HashMap<>();
            Map<String, TreeSet<Slots.Slot>> free = new HashMap<>();
            Comparator<Slots.Slot> named = Comparator.comparing(slot -> !seen.named.contains(slot.name()));
            for (Slots.Slot slot : declared.values()) {
                SlurmNode node = seen.nodes.get(slot.name());
                if (node == null || taken.contains(slot.name())) {
                    continue;
                }
                byAddress
                        .computeIfAbsent(node.address(), address -> new ArrayList<>())
                        .add(node);
                if (node.isFree()) {
                    free.computeIfAbsent(
                                    shape(slot.site(), slot.type()),
                                    shape -> new TreeSet<>(named.thenComparing(BY_NUMBER)))
                            .add(slot);
                }
            }
            List<WantedNode> waiting = wanted.values().stream()
                    .filter(node -> !slots.containsKey(node.node().id()))
                    .sorted(Comparator.comparing(node -> node.node().id()))
                    .toList();
            for (WantedNode node : waiting) {
                recognised(node, byAddress.getOrDefault(node.node().address(), List.of()))
                        .ifPresent(slot -> take(node.node().id(), slot));
            }
            for (WantedNode node : waiting) {
                if (node.phase() == Phase.SERVING
                        && !slots.containsKey(node.node().id())) {
                    first(free.get(shape(node.node().site(), node.node().type())))
                            .ifPresent(slot -> take(node.node().id(), slot));
                }
            }
        }

        private static final Comparator<Slots.Slot> BY_NUMBER =
                Comparator.comparingInt(Slots.Slot::number).thenComparing(Slots.Slot::name);

        private static String shape(String site, String type) {
            return site + "\n" + type;
        }

        private void take(String id, String slot) {
            if (taken.add(slot)) {
                slots.put(id, slot);
            }
        }

        private Optional<String> first(@Nullable TreeSet<Slots.Slot> free) {
            while (free != null && !free.isEmpty()) {
                String slot = free.removeFirst().name();
                if (!taken.contains(slot)) {
                    return Optional.of(slot);
                }
            }
            return Optional.empty();
        }

        /** The slot that this node had before the head was started again: up rather than off, if there are several. */
        private Optional<String> recognised(WantedNode node, List<SlurmNode> candidates) {
            return candidates.stream()
                    .filter(slot -> !taken.contains(slot.name())
                            && !node.node().address().isEmpty())
                    .filter(slot -> {
                        Slots.Slot of = declared.get(slot.name());
                        return of != null
                                && of.site().equals(node.node().site())
                                && of.type().equals(node.node().type());
                    })
                    .min(Comparator.comparing((SlurmNode slot) -> !slot.isUp())
                            .thenComparing(SlurmNode::isPoweredDown)
                            .thenComparing(SlurmNode::name))
                    .map(SlurmNode::name);
        }

        void serve(String id, WantedNode node) {
            String name = slots.get(id);
            SlurmNode slot = name == null ? null : seen.nodes.get(name);
            if (slot == null) {
                if (node.phase() == Phase.DRAINING) {
                    vacant.add(node);
                } else if (node.phase() == Phase.LEFT) {
                    gone.add(node);
                }
                return;
            }
            if (isWithheld(slot)) {
                withheld.put(id, slot.reason());
            }
            switch (node.phase()) {
                case SERVING -> serving(node, slot);
                case DRAINING -> draining(node, slot);
                case LEFT -> left(node, slot);
            }
        }

        private void serving(WantedNode node, SlurmNode slot) {
            if (!slot.address().equals(node.node().address())) {
                orders.add(new SlurmOrder.Address(slot.name(), node.node().address()));
                return;
            }
            Moves.Move move = moves.get(node.node().id());
            if (move != null && !move.to().equals(slot.name())) {
                move.drain(slot).ifPresent(orders::add);
                return;
            }
            boolean ours = slot.isOurs();
            boolean drained = slot.isDrained()
                    && (ours
                            || slot.reason().startsWith(PROLOG)
                            || slot.reason().startsWith(DUPLICATE));
            if (drained || (slot.flags().contains("down") && (ours || isBack(slot)))) {
                orders.add(new SlurmOrder.Resume(slot.name()));
            }
            if (slot.isUp()) {
                serving.add(slot.name());
            }
        }

        /** A node that Slurm has given up, and that is there by the head's own knowledge: no ReturnToService is needed. */
        private static boolean isBack(SlurmNode slot) {
            return !slot.flags().contains("not_responding")
                    && RETURNING.stream().anyMatch(slot.reason()::startsWith);
        }

        private void draining(WantedNode node, SlurmNode slot) {
            if (slot.isPoweredDown() || (slot.isGoingOff() && !slot.isBusy())) {
                vacant.add(node);
                tellWhy(node, slot);
            } else if (!slot.isDrained() && !isWithheld(slot)) {
                orders.add(new SlurmOrder.Drain(slot.name(), node.reason()));
            } else if (!slot.isBusy()) {
                vacant.add(node);
            }
        }

        /** A node's slurmd never came, and who looks there wants to know why. @return whether it was still to be said */
        private boolean tellWhy(WantedNode node, SlurmNode slot) {
            boolean untold =
                    slot.isOff() && slot.reason().isEmpty() && !node.reason().isEmpty();
            if (untold) {
                orders.add(new SlurmOrder.PowerDown(slot.name(), node.reason()));
            }
            return untold;
        }

        private void left(WantedNode node, SlurmNode slot) {
            if (slot.isOff()) {
                if (tellWhy(node, slot)) {
                    return;
                }
                if (slot.address().equals(slot.name())) {
                    gone.add(node);
                } else {
                    // So that a later node with this address is not taken for the one that had this slot.
                    orders.add(new SlurmOrder.Address(slot.name(), slot.name()));
                }
                return;
            }
            if (slot.isBusy() && !slot.flags().contains("down")) {
                orders.add(new SlurmOrder.Down(slot.name()));
            }
            if (!slot.isGoingOff()) {
                orders.add(new SlurmOrder.PowerDown(slot.name(), ""));
            }
        }

        /** Slots that are up and belong to none of the head's nodes: what runs there may end. */
        void strangers() {
            for (String name : declared.keySet()) {
                SlurmNode slot = seen.nodes.get(name);
                if (slot == null
                        || taken.contains(name)
                        || slot.isOff()
                        || slot.isGoingOff()
                        || slot.flags().contains("power_up")
                        || slot.flags().contains("powering_up")) {
                    continue;
                }
                boolean silent =
                        slot.flags().contains("not_responding") || slot.flags().contains("down");
                if (!slot.isBusy() && (silent || slot.isDrained())) {
                    orders.add(new SlurmOrder.PowerDown(name, ""));
                } else if (!slot.isDrained()) {
                    orders.add(new SlurmOrder.Drain(name, "no node of the head"));
                }
            }
        }

        void reserve(boolean complete, Instant now) {
            TreeSet<String> members = new TreeSet<>();
            for (String name : declared.keySet()) {
                SlurmNode slot = seen.nodes.get(name);
                boolean free = complete ? serving.contains(name) : slot != null && slot.isUp();
                if (slot != null && !free) {
                    members.add(name);
                }
            }
            // Nodes that slurm.conf has and the head's configuration has not.
            seen.nodes.values().stream()
                    .filter(node -> !declared.containsKey(node.name()) && !node.isUp() && seen.doors.have(node))
                    .forEach(node -> members.add(node.name()));
            keep(members, complete, now);
            if (complete && isKept(members, now)) {
                seen.doors.closed().stream().sorted().forEach(partition -> orders.add(new SlurmOrder.Open(partition)));
            }
        }

        /** Whether Slurm itself has said that no job gets any of these. */
        private boolean isKept(Set<String> members, Instant now) {
            return members.isEmpty()
                    || seen.reservation
                            .filter(there -> there.nodes().containsAll(members)
                                    && there.end().isAfter(now.plus(SlurmOrder.AHEAD)))
                            .isPresent();
        }

        private void keep(TreeSet<String> members, boolean complete, Instant now) {
            if (seen.reservation.isEmpty()) {
                if (!members.isEmpty()) {
                    orders.addFirst(new SlurmOrder.Reserve(members));
                }
                return;
            }
            SlurmReservation reservation = seen.reservation.get();
            if (complete && members.isEmpty()) {
                orders.add(new SlurmOrder.Unreserve());
                return;
            }
            if (complete && !reservation.start().isAfter(now)) {
                // A reservation that has begun cannot be put off: another takes its place.
                orders.addAll(
                        0,
                        List.of(
                                new SlurmOrder.Bridge(members),
                                new SlurmOrder.Unreserve(),
                                new SlurmOrder.Reserve(members),
                                new SlurmOrder.Unbridge()));
                return;
            }
            boolean ahead = reservation.start().isAfter(now);
            if (reservation.end().isBefore(now.plus(ENOUGH))
                    || (ahead && reservation.start().isBefore(now.plus(SOON)))) {
                orders.addFirst(new SlurmOrder.Renew(ahead));
            }
            if (complete && !members.equals(reservation.nodes())) {
                orders.addFirst(new SlurmOrder.Members(members));
            }
        }

        /** By an administrator: what slurmctld itself finds wrong with a node is no wish to keep it, and another takes its place. */
        private static boolean isWithheld(SlurmNode slot) {
            boolean down = slot.flags().contains("down") && !slot.flags().contains("not_responding");
            return (slot.isDrained() || down)
                    && !slot.isPoweredDown()
                    && !slot.flags().contains("invalid_reg")
                    && !slot.reason().isEmpty()
                    && NOBODYS.stream().noneMatch(slot.reason()::startsWith);
        }
    }
}
