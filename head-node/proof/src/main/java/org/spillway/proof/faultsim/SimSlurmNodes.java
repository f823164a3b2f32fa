package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.spillway.head.workload.JoinedNode;
import org.spillway.slurm.manager.SlurmTurn;

/** The simulated Slurm's view of the head's nodes: who has registered, who is missed, who is drained. */
final class SimSlurmNodes {
    private static final class Node {
        final JoinedNode joined;
        boolean up;
        boolean drained;

        @Nullable
        Instant registeredAt;

        /** Since when it has not been up. */
        Instant absentSince;

        /** How often the head has missed it. */
        int missed;

        Node(JoinedNode joined, Instant now) {
            this.joined = joined;
            this.absentSince = now;
        }
    }

    private final SimClock clock;
    private final Map<String, Node> nodes = new TreeMap<>();
    /** Nodes whose daemon never registers. */
    final Set<String> mute = new TreeSet<>();

    /** When slurmctld was started. */
    private Instant started = Instant.EPOCH;

    SimSlurmNodes(SimClock clock) {
        this.clock = clock;
    }

    void started(Instant at) {
        started = at;
    }

    void join(JoinedNode node) {
        Node known = nodes.computeIfAbsent(node.id(), id -> new Node(node, clock.now()));
        known.drained = false;
    }

    void drain(String node) {
        Node known = nodes.get(node);
        if (known != null) {
            known.drained = true;
        }
    }

    void leave(String node) {
        nodes.remove(node);
    }

    /** Whether it is to be given no more work, or is not known. */
    boolean isDrained(String node) {
        Node known = nodes.get(node);
        return known == null || known.drained;
    }

    boolean knows(String node) {
        return nodes.containsKey(node);
    }

    void registered(String node) {
        Node known = nodes.get(node);
        if (known != null && !mute.contains(node)) {
            known.up = true;
            known.registeredAt = clock.now();
        }
    }

    /** The word that the node is to be told; null for nothing. */
    @Nullable
    SlurmTurn turn(String node) {
        Node known = nodes.get(node);
        return known == null ? null : new SlurmTurn(started.getEpochSecond(), known.missed);
    }

    Optional<Instant> absentSince(String node) {
        Node known = nodes.get(node);
        if (known == null || known.up) {
            return Optional.empty();
        }
        known.missed = (int) (Duration.between(known.absentSince, clock.now()).toSeconds() / 30);
        return Optional.of(known.absentSince);
    }

    /** Forgets that nodes have come. */
    void forgetNodes(Instant written) {
        for (Node node : nodes.values()) {
            if (node.registeredAt != null && node.registeredAt.isAfter(written)) {
                node.up = false;
                node.registeredAt = null;
                node.absentSince = clock.now();
            }
        }
    }

    /** Nodes that are up and not drained, in the order of their ids. */
    List<JoinedNode> serving() {
        return nodes.values().stream()
                .filter(node -> node.up && !node.drained)
                .map(node -> node.joined)
                .toList();
    }
}
