package org.spillway.scaler.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot.Breaker;
import org.spillway.policy.OfferingId;

/**
 * Breakers: after too many failures nothing more is launched at a place. Pure: what was, and what is seen now, give
 * what is.
 *
 * <p>A breaker of kind POOL or RUNAWAY stays open until an administrator closes it, and then counts anew: only somebody
 * who has looked knows that the cause is gone. FLEET and HEARTBEAT close by themselves when what they saw is clearly
 * over. One of kind DIRECTOR is moved by the head, which knows what its directors have cost; it closes by hand or when it
 * has rested. Those of kind OFFERING, ZONE and HOST are {@link SickGroups}'. None moves twice within its pause, and each closes at a lower mark than it opens at, so that none flaps.
 *
 * <p>Ten boot failures in a row are those of AWS ParallelCluster's protected mode, 45 % is cluster-autoscaler's share of
 * unready nodes at which it halts. A node that is refused when it is up says by itself that the next one of its offering
 * would be, too: one is enough where none has worked yet, two where some have. A site's own count of boot failures is twice an offering's: one bad image fails all
 * of a site's offerings, and not each of them needs to be tried so often.
 */
public final class Breakers {
    /** How long a breaker of kind FLEET or HEARTBEAT stays as it is at least. */
    static final Duration PAUSE = Duration.ofMinutes(2);

    private Breakers() {}

    /**
     * When they open; 0 keeps the one that it is about from ever opening.
     *
     * @param bootFailures nodes of an offering that do not come up, in a row; twice as many of a site
     * @param unreadyPercent of a site's nodes, 0 to 100: more than that many are lost or silent
     * @param unreadyLeast nodes that have to be lost or silent beside that, 1 or more
     * @param silence of a site's director; zero for never
     * @param unusedNodes of a site that joined and ended without a job while jobs waited for them, in a row
     * @param unproven nodes of an offering that may be under way at a time while none of it has ever come up: see
     *     {@link Proving}
     * @param sick of offerings, zones and hosts whose nodes fall sick
     */
    public record Settings(
            int bootFailures,
            int unreadyPercent,
            int unreadyLeast,
            Duration silence,
            int unusedNodes,
            int unproven,
            SickGroups.Settings sick) {
        public static final Settings DEFAULTS =
                new Settings(10, 45, 3, Duration.ofMinutes(2), 10, 100, SickGroups.Settings.DEFAULTS);

        public Settings {
            if (bootFailures < 0
                    || unreadyPercent < 0
                    || unreadyPercent > 100
                    || unreadyLeast < 1
                    || silence.isNegative()
                    || unusedNodes < 0
                    || unproven < 0) {
                throw new IllegalArgumentException("not in their ranges: " + bootFailures + ", " + unreadyPercent + ", "
                        + unreadyLeast + ", " + silence + ", " + unusedNodes + ", " + unproven);
            }
        }
    }

    /** How far a node has come. */
    public enum Stage {
        /** The node was launched because jobs wait. */
        ORDERED,
        /** The node can take jobs. */
        JOINED,
        /** The node has taken a job. */
        USED,
        /** The node never came up. */
        FAILED,
        /** The node joined, and the workload manager's daemon does not start there: its machine or its image lacks something. */
        REFUSED,
        /** The node joined, and ended without a job while jobs waited for such a node. */
        UNUSED
    }

    /**
     * How far a node has come, and what it had.
     *
     * @param message why it failed, from the head; empty otherwise
     * @param node its id; empty in what earlier releases have journalled
     * @param host the provider's machine that it was on; empty where that is not told
     * @param fault of its health, the first one; null for none
     */
    public record NodeOutcome(
            Instant at,
            OfferingId offering,
            Stage stage,
            String message,
            String node,
            String host,
            @Nullable Fault fault) {
        public NodeOutcome {
            node = node == null ? "" : node;
            host = host == null ? "" : host;
        }
    }

    /**
     * A fault of a node's health.
     *
     * @param check of its gate that has found it, or {@link #LOST}
     * @param said by that check, one line
     * @param job that was there, or was the last there; empty for none
     */
    public record Fault(Instant at, String check, String said, String job) {
        /** The node was not heard any more. */
        public static final String LOST = "lost";
    }

    /**
     * A site as it is seen now.
     *
     * @param nodes that have joined and not ended
     * @param unready those of them that are lost or silent
     * @param silentFor how long its director was not heard; null when there is none that should be
     */
    public record SiteSight(
            String site, int nodes, int unready, @Nullable Duration silentFor) {}

    /**
     * A breaker that is open, or was.
     *
     * @param name the offering or the site that it shuts
     * @param seen when it opened, or who closed it
     * @param since when it opened or closed
     */
    public record State(Breaker.Kind kind, String name, boolean open, BreakerSight seen, Instant since) {
        /** By which it is closed: {@code pool:SITE/ZONE/TYPE/MARKET}. */
        public String id() {
            return Breakers.id(kind, name);
        }

        /** For a person. */
        public String reason() {
            return seen.text();
        }

        public State closedBy(String who, Instant now) {
            return new State(kind, name, false, new BreakerSight.ClosedByHand(who), now);
        }
    }

    /**
     * The breakers as they are now: all that were known, and the new ones.
     *
     * @param before as last answered, in any order
     * @param outcomes of nodes in any order of time, equal times oldest first
     * @return sorted by id
     */
    public static List<State> next(
            List<State> before, List<NodeOutcome> outcomes, List<SiteSight> sites, Instant now, Settings settings) {
        SortedMap<String, State> states = new TreeMap<>();
        before.forEach(state -> states.put(state.id(), state));
        List<NodeOutcome> inOrder =
                outcomes.stream().sorted(Comparator.comparing(NodeOutcome::at)).toList();
        Fold fold = new Fold(states, now);
        fold.pools(inOrder, settings.bootFailures());
        fold.runaways(inOrder, settings.unusedNodes());
        sites.forEach(site -> {
            fold.fleet(site, settings);
            fold.heartbeat(site, settings);
        });
        return List.copyOf(states.values());
    }

    /** The breakers that hold launches now, as a policy sees them. */
    public static List<Breaker> open(List<State> states, Instant now) {
        return states.stream()
                .filter(state -> SickGroups.shuts(state, now))
                .map(state ->
                        new Breaker(state.kind(), state.name(), state.reason() + "; " + remedy(state), state.since()))
                .toList();
    }

    /** How it is closed. */
    public static String remedy(State state) {
        return switch (state.kind()) {
            case FLEET, HEARTBEAT -> "it closes by itself when that is over";
            case DIRECTOR ->
                "another is tried when 24 hours have gone by, or when the cause is mended: spillway breaker close "
                        + state.id();
            case POOL, RUNAWAY -> "when the cause is mended: spillway breaker close " + state.id();
            case OFFERING, ZONE, HOST ->
                SickGroups.trialFrom(state)
                                .map(at -> "from " + at + " on one node at a time is tried there; ")
                                .orElse("")
                        + "when the cause is mended: spillway breaker close " + state.id();
        };
    }

    static String id(Breaker.Kind kind, String name) {
        return kind.name().toLowerCase(Locale.ROOT) + ":" + name;
    }

    private record Fold(SortedMap<String, State> states, Instant now) {
        private @Nullable State of(Breaker.Kind kind, String name) {
            return states.get(id(kind, name));
        }

        private boolean isOpen(@Nullable State state) {
            return state != null && state.open();
        }

        private void put(Breaker.Kind kind, String name, boolean open, BreakerSight seen) {
            State state = new State(kind, name, open, seen, now);
            states.put(state.id(), state);
        }

        /** Since when outcomes count: what was before it was closed was looked at. */
        private Instant from(Breaker.Kind kind, String name) {
            State state = of(kind, name);
            return state == null || state.open() ? Instant.MIN : state.since();
        }

        void pools(List<NodeOutcome> outcomes, int most) {
            if (most == 0) {
                return;
            }
            Map<String, Row> rows = new HashMap<>();
            for (NodeOutcome outcome : outcomes) {
                for (String name : List.of(
                        outcome.offering().toString(), outcome.offering().site())) {
                    rows.computeIfAbsent(name, any -> new Row(from(Breaker.Kind.POOL, name)))
                            .add(outcome, Stage.FAILED, outcome.stage() != Stage.ORDERED);
                }
            }
            new TreeMap<>(rows).forEach((name, row) -> {
                boolean site = name.indexOf('/') < 0;
                // The next one of an offering would lack the same: twice where it has worked before, and a machine may
                // be bad.
                boolean refused = !site && row.refused >= (row.used ? 2 : 1);
                if ((refused || row.count >= (site ? 2L * most : most)) && !isOpen(of(Breaker.Kind.POOL, name))) {
                    put(Breaker.Kind.POOL, name, true, new BreakerSight.NodesNotUp(row.count, name, site, row.last));
                }
            });
        }

        void runaways(List<NodeOutcome> outcomes, int most) {
            if (most == 0) {
                return;
            }
            Map<String, Row> rows = new TreeMap<>();
            for (NodeOutcome outcome : outcomes) {
                String site = outcome.offering().site();
                rows.computeIfAbsent(site, any -> new Row(from(Breaker.Kind.RUNAWAY, site)))
                        .add(outcome, Stage.UNUSED, outcome.stage() == Stage.USED);
            }
            rows.forEach((site, row) -> {
                if (row.count >= most && !isOpen(of(Breaker.Kind.RUNAWAY, site))) {
                    put(Breaker.Kind.RUNAWAY, site, true, new BreakerSight.NodesUnused(row.count, site));
                }
            });
        }

        void fleet(SiteSight site, Settings settings) {
            State state = of(Breaker.Kind.FLEET, site.site());
            int percent = settings.unreadyPercent();
            boolean bad = percent > 0
                    && site.unready() >= settings.unreadyLeast()
                    && 100L * site.unready() > (long) percent * site.nodes();
            boolean well =
                    percent == 0 || site.unready() == 0 || 200L * site.unready() <= (long) percent * site.nodes();
            if (bad && !isOpen(state) && mayMove(state)) {
                put(
                        Breaker.Kind.FLEET,
                        site.site(),
                        true,
                        new BreakerSight.NodesUnready(site.unready(), site.nodes(), site.site(), percent));
            } else if (well && isOpen(state) && mayMove(state)) {
                put(Breaker.Kind.FLEET, site.site(), false, new BreakerSight.NodesReady(site.unready(), site.nodes()));
            }
        }

        void heartbeat(SiteSight site, Settings settings) {
            State state = of(Breaker.Kind.HEARTBEAT, site.site());
            Duration most = settings.silence();
            Duration silent = site.silentFor();
            boolean bad = !most.isZero() && silent != null && silent.compareTo(most) >= 0;
            boolean well =
                    most.isZero() || silent == null || silent.multipliedBy(4).compareTo(most) <= 0;
            if (bad && !isOpen(state) && mayMove(state)) {
                put(
                        Breaker.Kind.HEARTBEAT,
                        site.site(),
                        true,
                        new BreakerSight.DirectorSilent(site.site(), most.toSeconds()));
            } else if (well && isOpen(state) && mayMove(state)) {
                put(Breaker.Kind.HEARTBEAT, site.site(), false, new BreakerSight.DirectorHeard());
            }
        }

        private boolean mayMove(@Nullable State state) {
            return state == null || !now.isBefore(state.since().plus(PAUSE));
        }
    }

    /** How many of one kind came in a row. */
    private static final class Row {
        private final Instant from;
        private int count;
        private int refused;
        private boolean used;
        private String last = "";

        Row(Instant from) {
            this.from = from;
        }

        void add(NodeOutcome outcome, Stage counted, boolean ends) {
            used |= outcome.stage() == Stage.USED;
            if (!outcome.at().isAfter(from)) {
                return;
            }
            boolean isRefused = counted == Stage.FAILED && outcome.stage() == Stage.REFUSED;
            if (outcome.stage() == counted || isRefused) {
                count++;
                refused = isRefused ? refused + 1 : 0;
                last = outcome.message();
            } else if (ends) {
                count = 0;
                refused = 0;
                last = "";
            }
        }
    }

    /** Of all kinds and names, those that are open first, the longest open first. */
    public static List<State> sorted(List<State> states) {
        List<State> sorted = new ArrayList<>(states);
        sorted.sort(Comparator.comparing((State state) -> !state.open())
                .thenComparing(State::since)
                .thenComparing(State::id));
        return sorted;
    }
}
