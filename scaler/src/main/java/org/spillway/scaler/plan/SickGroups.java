package org.spillway.scaler.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot.Breaker;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.plan.Breakers.NodeOutcome;
import org.spillway.scaler.plan.Breakers.State;

/**
 * Breakers of what makes nodes sick: an offering, a zone, a machine of the provider. One opens when so many of its nodes
 * have fallen sick that this would hardly be if they were like all others ({@link Exceeding}); when it has rested, one node at a
 * time is tried there, which closes it when it does its work, or shuts it for twice as long. Pure.
 *
 * <p>Counted are machines that fail by themselves: sick nodes on one host, of one job, or lost within the same minutes are
 * one. From each first fault on a group is looked at anew, so that a good past does not hide what began today. Nodes
 * that serve are well now.
 */
public final class SickGroups {
    static final Duration LONGEST_REST = Duration.ofHours(24);

    /** For how long a tried node has to be well with jobs: checks come between these, after them and each few minutes. */
    static final Duration PROVEN = Duration.ofMinutes(15);

    private SickGroups() {}

    /**
     * @param least sick machines of a group, 1 or more; 0 for never
     * @param percent of a group's nodes that have to be sick beside that, 1 to 100
     * @param within how long ago a fault counts
     * @param rest before a node is tried; doubled by each that fails, up to a day
     */
    public record Settings(int least, int percent, Duration within, Duration rest) {
        public static final Settings DEFAULTS = new Settings(3, 30, Duration.ofHours(24), Duration.ofHours(1));

        public Settings {
            if (least < 0 || percent < 1 || percent > 100 || within.isNegative() || rest.isNegative()) {
                throw new IllegalArgumentException(
                        "not in their ranges: " + least + ", " + percent + ", " + within + ", " + rest);
            }
        }
    }

    /**
     * The breakers as they are now.
     *
     * @param before as last answered, in any order, those of other kinds among them, which stay as they are
     * @param outcomes of nodes, in any order
     * @param serving ids of nodes that serve now
     * @return sorted by id
     */
    public static List<State> next(
            List<State> before, List<NodeOutcome> outcomes, Set<String> serving, Instant now, Settings settings) {
        SortedMap<String, State> states = new TreeMap<>();
        before.forEach(state -> states.put(state.id(), state));
        // Most looks, of most clusters.
        boolean quiet = outcomes.stream().allMatch(outcome -> outcome.fault() == null)
                && before.stream().noneMatch(state -> trialFrom(state).isPresent());
        if (settings.least() > 0 && !quiet) {
            new SickGroupSearch(states, outcomes, serving, now, settings).trials();
            // With what the trials have closed: nothing from before that counts.
            SickGroupSearch search = new SickGroupSearch(states, outcomes, serving, now, settings);
            while (search.opensOne()) {}
        }
        return List.copyOf(states.values());
    }

    /** Whether it keeps launches from its place now: one that has rested lets some through. */
    public static boolean shuts(State state, Instant now) {
        return state.open()
                && state.kind() != Breaker.Kind.HOST
                && trialFrom(state).map(now::isBefore).orElse(true);
    }

    /** From when on a node is tried there; empty where none ever is without an administrator. */
    public static Optional<Instant> trialFrom(State state) {
        return state.open() && state.seen() instanceof BreakerSight.NodesSick sick
                ? Optional.of(state.since().plusSeconds(sick.restSeconds()))
                : Optional.empty();
    }

    /** Whether nodes on that host are ended before they have a job. */
    public static boolean refuses(List<State> states, String site, String host, Instant now) {
        return !host.isEmpty()
                && states.stream()
                        .anyMatch(state -> state.kind() == Breaker.Kind.HOST
                                && state.name().equals(site + "/" + host)
                                && trialFrom(state).map(now::isBefore).orElse(false));
    }

    /**
     * Lets one node at a time be launched where a breaker has rested.
     *
     * @param statuses of offerings, sorted; those that nothing is known of are added where they are cut
     * @param underWay nodes of each offering that were decided and have not joined
     * @return the statuses with launch budgets that are no larger than before, sorted by offering
     */
    public static List<OfferingStatus> cut(
            List<OfferingStatus> statuses,
            Set<OfferingId> offered,
            List<State> breakers,
            Map<OfferingId, Integer> underWay,
            Instant now) {
        List<State> tried =
                breakers.stream().filter(state -> isTried(state, now)).toList();
        if (tried.isEmpty()) {
            return statuses;
        }
        SortedMap<OfferingId, OfferingStatus> cut = new TreeMap<>();
        statuses.forEach(status -> cut.put(status.id(), status));
        for (OfferingId id : offered) {
            for (State state : tried) {
                if (Breaker.namesOver(id).contains(state.name())) {
                    int there = underWay.entrySet().stream()
                            .filter(one -> Breaker.namesOver(one.getKey()).contains(state.name()))
                            .mapToInt(Map.Entry::getValue)
                            .sum();
                    cut.compute(id, (any, known) -> atMost(Math.max(0, 1 - there), state, id, known));
                }
            }
        }
        return List.copyOf(cut.values());
    }

    private static boolean isTried(State state, Instant now) {
        return state.kind() != Breaker.Kind.HOST
                && trialFrom(state).map(at -> !now.isBefore(at)).orElse(false);
    }

    private static OfferingStatus atMost(int most, State state, OfferingId id, @Nullable OfferingStatus known) {
        String why = "is tried with one node at a time: breaker " + state.id() + " is open";
        return known == null
                ? new OfferingStatus(id, null, most, OfferingHealth.DEFAULT_BOOT, why, 0)
                : new OfferingStatus(
                        id,
                        known.notBefore(),
                        Math.min(most, known.launchBudget()),
                        known.bootEstimate(),
                        known.reason().isEmpty() ? why : known.reason(),
                        known.reclaimsPerHour());
    }
}
