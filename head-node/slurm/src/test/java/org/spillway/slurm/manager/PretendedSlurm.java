package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** As much of slurmctld as nodes and one reservation need, with the habits that 22.05.8 showed in the lab. */
final class PretendedSlurm {
    /** Facts of one slot. */
    static final class Node {
        final String name;
        String address;
        String power = "powered_down";
        boolean drained;
        boolean down;
        String reason = "";
        int jobs;

        Node(String name) {
            this.name = name;
            address = name;
        }

        boolean isUp() {
            return power.isEmpty() && !drained && !down;
        }
    }

    final Map<String, Node> nodes = new TreeMap<>();
    Optional<SlurmReservation> reservation = Optional.empty();
    /** The one partition's state; and whether it is so by somebody's word since slurm.conf was read. */
    boolean isOpen = true;

    boolean isTouched = true;

    /** Slots that jobs wait for by name. */
    final Set<String> named = new TreeSet<>();

    private final Set<String> bridge = new TreeSet<>();
    Instant now = Instant.parse("2026-01-05T08:00:00Z");

    PretendedSlurm(Set<String> slots) {
        slots.forEach(slot -> nodes.put(slot, new Node(slot)));
    }

    NodePlan.Seen seen() {
        Map<String, SlurmNode> seen = new TreeMap<>();
        for (Node node : nodes.values()) {
            Set<String> flags = new HashSet<>(Set.of(node.down ? "down" : node.jobs > 0 ? "mixed" : "idle", "cloud"));
            if (!node.power.isEmpty()) {
                flags.add(node.power);
            }
            if (node.drained) {
                flags.add("drain");
            }
            seen.put(
                    node.name,
                    new SlurmNode(
                            node.name,
                            flags,
                            8,
                            8L << 30,
                            0,
                            node.jobs,
                            List.of(),
                            Set.of(),
                            Set.of("west"),
                            isOpen ? Set.of() : Set.of("west"),
                            node.address,
                            node.reason));
        }
        Set<String> shut = isOpen ? Set.of() : Set.of("west");
        return new NodePlan.Seen(
                seen, reservation, new NodePlan.Doors(Set.of("west"), shut, isTouched ? Set.of() : shut), named);
    }

    boolean isReserved(String slot) {
        return bridge.contains(slot)
                || (reservation.isPresent() && reservation.get().nodes().contains(slot));
    }

    /** Whether Slurm would give the slot to a job, powering it up if need be. */
    boolean isGiven(String slot) {
        return isOpen && !isReserved(slot);
    }

    /** A slurmd of that slot speaks from that address: a slot that is off is up from then on. */
    void registers(String slot, String address) {
        Node node = node(slot);
        if (node.address.equals(address) && node.power.equals("powered_down")) {
            node.power = "";
        }
    }

    /** Gives a job to a node, if Slurm would. */
    void submit(String slot) {
        if (node(slot).isUp() && isGiven(slot)) {
            node(slot).jobs++;
        }
    }

    void settle(String slot) {
        if (node(slot).power.equals("powering_down")) {
            node(slot).power = "powered_down";
        }
    }

    /** slurmctld forgets what it was told of slots that are off, and of partitions; and what it was told last, if it was killed. */
    void restart(boolean killed) {
        isOpen = false;
        isTouched = false;
        reservation = killed ? Optional.empty() : reservation;
        nodes.values().stream()
                .filter(node -> node.power.equals("powered_down"))
                .forEach(node -> node.address = node.name);
    }

    void apply(SlurmOrder order) {
        switch (order) {
            case SlurmOrder.Address(var slot, var address) -> node(slot).address = address;
            case SlurmOrder.Drain(var slot, var why) -> {
                node(slot).drained = true;
                node(slot).reason = SlurmOrder.OURS + why;
            }
            case SlurmOrder.Resume(var slot) -> {
                assertThat(node(slot).drained || node(slot).down).isTrue();
                node(slot).drained = false;
                node(slot).down = false;
                node(slot).reason = "";
            }
            case SlurmOrder.Down(var slot) -> {
                node(slot).down = true;
                node(slot).jobs = 0;
                node(slot).reason = SlurmOrder.OURS + "the node is gone";
            }
            case SlurmOrder.PowerDown(var slot, var why) -> {
                assertThat(node(slot).jobs)
                        .as("jobs on %s that is powered down", slot)
                        .isZero();
                node(slot).power = "powering_down";
                node(slot).reason = why.isEmpty() ? node(slot).reason : SlurmOrder.OURS + SlurmOrder.clean(why);
                node(slot).drained = false;
                node(slot).down = false;
            }
            case SlurmOrder.Reserve(var slots) -> {
                assertThat(reservation).isEmpty();
                assertThat(slots).isNotEmpty();
                reserve(slots, true);
            }
            case SlurmOrder.Members(var slots) -> {
                assertThat(slots).isNotEmpty();
                SlurmReservation before = reservation.orElseThrow();
                reservation = Optional.of(new SlurmReservation(slots, before.start(), before.end()));
            }
            case SlurmOrder.Renew(boolean ahead) -> {
                // Slurm refuses to put off what has begun.
                assertThat(reservation.orElseThrow().start().isAfter(now)).isEqualTo(ahead);
                reserve(reservation.orElseThrow().nodes(), ahead);
            }
            case SlurmOrder.Bridge(var slots) -> bridge.addAll(slots);
            case SlurmOrder.Unbridge() -> bridge.clear();
            case SlurmOrder.Unreserve() -> {
                assertThat(reservation).isPresent();
                reservation = Optional.empty();
            }
            case SlurmOrder.Open(var partition) -> {
                assertThat(partition).isEqualTo("west");
                isOpen = true;
                isTouched = true;
            }
            case SlurmOrder.Close _,
                    SlurmOrder.Stay _,
                    SlurmOrder.ExitCode _,
                    SlurmOrder.Narrow _,
                    SlurmOrder.Comment _,
                    SlurmOrder.StartAgain _,
                    SlurmOrder.Requeue _,
                    SlurmOrder.Release _,
                    SlurmOrder.Cancel _ -> throw new IllegalArgumentException("not of a node: " + order);
        }
    }

    private void reserve(Set<String> slots, boolean ahead) {
        Instant start =
                ahead ? now.plus(SlurmOrder.AHEAD) : reservation.orElseThrow().start();
        reservation = Optional.of(new SlurmReservation(slots, start, now.plus(SlurmOrder.RESERVED)));
    }

    Node node(String slot) {
        Node node = nodes.get(slot);
        if (node == null) {
            throw new IllegalArgumentException("no slot " + slot);
        }
        return node;
    }

    TreeSet<String> names() {
        return new TreeSet<>(nodes.keySet());
    }
}
