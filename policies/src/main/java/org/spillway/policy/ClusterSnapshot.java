package org.spillway.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Everything that a decision may depend on. It carries the time, so that a decision can be replayed.
 *
 * @param schema version of this record's meaning, {@link #SCHEMA} when made by this release
 * @param demands shapes that wait, oldest first
 * @param nodes all nodes that exist or are being made, without directors
 * @param offerings what the sites offer, in no particular order
 * @param statuses health of offerings that were ever asked; one that is missing is healthy
 * @param shares of accounts and queues, for those that share fairly
 * @param breakers that are open now: the host launches nothing where they stand
 * @param changeable what nodes can be made that exist; never null
 */
public record ClusterSnapshot(
        int schema,
        Instant now,
        List<Demand> demands,
        List<NodeView> nodes,
        List<Offering> offerings,
        List<OfferingStatus> statuses,
        Limits limits,
        List<ScheduleWindow> windows,
        List<Share> shares,
        List<Breaker> breakers,
        Changeable changeable) {
    public static final int SCHEMA = 2;

    public ClusterSnapshot {
        demands = List.copyOf(demands);
        nodes = List.copyOf(nodes);
        offerings = List.copyOf(offerings);
        statuses = List.copyOf(statuses);
        windows = List.copyOf(windows);
        // Written before schema 2.
        shares = shares == null ? List.of() : List.copyOf(shares);
        breakers = breakers == null ? List.of() : List.copyOf(breakers);
        // Written before nodes could be made another category.
        changeable = changeable == null ? Changeable.NOTHING : changeable;
    }

    /** The same cluster with other demands and nodes. */
    public ClusterSnapshot with(List<Demand> otherDemands, List<NodeView> otherNodes) {
        return with(draft -> {
            draft.demands = otherDemands;
            draft.nodes = otherNodes;
        });
    }

    /**
     * An account's or a queue's share: its weight, and its use of late.
     *
     * @param name of the account; of the queue where jobs have no account
     * @param weight against the other shares, more than 0
     * @param used its part of what all have used in the last days, 0 to 1, older use counting less
     */
    public record Share(String name, double weight, double used) {
        public Share {
            if (!(weight > 0) || !(used >= 0 && used <= 1)) {
                throw new IllegalArgumentException("share " + name + " has weight " + weight + " and use " + used);
            }
        }
    }

    /**
     * Changes that nodes which exist may undergo.
     *
     * @param categories by name, how long a change to it is expected to take; the empty name is that of nodes without one
     * @param overlays that nodes can join and leave
     * @param rest how long a node must have been idle before it is made another, and so between two changes of it
     */
    public record Changeable(Map<String, Duration> categories, Set<String> overlays, Duration rest) {
        public static final Changeable NOTHING = new Changeable(Map.of(), Set.of(), Duration.ZERO);

        public Changeable {
            categories = Map.copyOf(categories);
            overlays = Set.copyOf(overlays);
        }
    }

    /**
     * Something has gone wrong so often that nothing more is launched there until it is closed.
     *
     * @param name the offering, site or {@code site/zone} that is shut; empty for the whole fleet
     * @param reason what was seen, in one sentence
     */
    public record Breaker(Kind kind, String name, String reason, Instant since) {
        /** Names of what an offering lies in, the widest first: a breaker of one of them shuts it. */
        public static List<String> namesOver(OfferingId offering) {
            return List.of("", offering.site(), offering.site() + "/" + offering.zone(), offering.toString());
        }

        /** The part that broke. */
        public enum Kind {
            /** Nodes of an offering do not come up. */
            POOL,
            /** Too many of a site's nodes are not ready. */
            FLEET,
            /** A site's director is not heard. */
            HEARTBEAT,
            /** Nodes join and never take a job. */
            RUNAWAY,
            /** A site's directors do not come up, and have cost what they may. */
            DIRECTOR,
            /** Nodes of an offering fall sick, and those of others do not. */
            OFFERING,
            /** Nodes of a zone fall sick, and those of others do not. */
            ZONE,
            /** Nodes on one machine of the provider fall sick. Launches are not held by it, and no snapshot has it. */
            HOST
        }
    }

    /** A snapshot of this release by the names of its parts; those that {@code made} leaves alone are as {@link Draft} has them. */
    public static ClusterSnapshot of(Consumer<Draft> made) {
        Draft draft = new Draft();
        made.accept(draft);
        return draft.made();
    }

    /** The same but for what {@code changed} sets. */
    public ClusterSnapshot with(Consumer<Draft> changed) {
        Draft draft = new Draft();
        draft.schema = schema;
        draft.now = now;
        draft.demands = demands;
        draft.nodes = nodes;
        draft.offerings = offerings;
        draft.statuses = statuses;
        draft.limits = limits;
        draft.windows = windows;
        draft.shares = shares;
        draft.breakers = breakers;
        draft.changeable = changeable;
        changed.accept(draft);
        return draft.made();
    }

    /** Parts of one that is being made. */
    public static final class Draft {
        public int schema = SCHEMA;
        public Instant now = Instant.EPOCH;
        public List<Demand> demands = List.of();
        public List<NodeView> nodes = List.of();
        public List<Offering> offerings = List.of();
        public List<OfferingStatus> statuses = List.of();
        public Limits limits = new Limits(Map.of(), Money.ZERO);
        public List<ScheduleWindow> windows = List.of();
        public List<Share> shares = List.of();
        public List<Breaker> breakers = List.of();
        public Changeable changeable = Changeable.NOTHING;

        private Draft() {}

        private ClusterSnapshot made() {
            return new ClusterSnapshot(
                    schema, now, demands, nodes, offerings, statuses, limits, windows, shares, breakers, changeable);
        }
    }
}
