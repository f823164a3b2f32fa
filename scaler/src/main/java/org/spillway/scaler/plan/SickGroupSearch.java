package org.spillway.scaler.plan;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.spillway.policy.ClusterSnapshot.Breaker;
import org.spillway.policy.OfferingId;
import org.spillway.scaler.plan.Breakers.NodeOutcome;
import org.spillway.scaler.plan.Breakers.Stage;
import org.spillway.scaler.plan.Breakers.State;

/** The groups of nodes that stand out, and what has become of those that did. Lives within one look. */
final class SickGroupSearch {
    /** Less than that, and a group is not like the others. */
    static final double IMPROBABLE = 1e-5;

    /** Sick nodes that are named. */
    static final int MOST_NAMED = 5;

    /** Lost nodes of one site within so many seconds have one cause, which need not be theirs. */
    private static final long AT_ONCE = 300;

    /** Sick machines beyond those that one narrower breaker, which is open already, explains. */
    private static final int FRESH = 2;

    /** A group of nodes that may have something in common. */
    private record Group(Breaker.Kind kind, String name) {
        String id() {
            return Breakers.id(kind, name);
        }
    }

    /**
     * The group that opens.
     *
     * @param faults of the group since it began, the earliest first
     * @param sick machines of them that count
     * @param improbable the less, the more it stands out
     */
    private record Find(
            Group group,
            List<NodeOutcome> faults,
            int sick,
            int nodes,
            int sickElsewhere,
            int elsewhere,
            double improbable) {}

    private final SortedMap<String, State> states;
    private final Map<OfferingId, List<Group>> places = new HashMap<>();
    private final List<NodeOutcome> outcomes;
    private final Set<String> serving;
    private final Instant now;
    private final SickGroups.Settings settings;

    SickGroupSearch(
            SortedMap<String, State> states,
            List<NodeOutcome> outcomes,
            Set<String> serving,
            Instant now,
            SickGroups.Settings settings) {
        this.states = states;
        this.serving = serving;
        this.now = now;
        this.settings = settings;
        // Each once, in an order that does not depend on theirs.
        this.outcomes = outcomes.stream()
                .filter(outcome -> !outcome.node().isEmpty() && outcome.stage() != Stage.ORDERED)
                .filter(this::counts)
                .sorted(Comparator.comparing(SickGroupSearch::at).thenComparing(NodeOutcome::node))
                .toList();
    }

    private List<Group> groups(NodeOutcome outcome) {
        OfferingId offering = outcome.offering();
        // Made once for each offering: outcomes are many, and looked at in every tick.
        List<Group> place = places.computeIfAbsent(
                offering,
                any -> List.of(
                        new Group(Breaker.Kind.ZONE, offering.site() + "/" + offering.zone()),
                        new Group(Breaker.Kind.OFFERING, offering.toString())));
        return outcome.host().isEmpty()
                ? place
                : List.of(
                        place.getFirst(),
                        place.getLast(),
                        new Group(Breaker.Kind.HOST, offering.site() + "/" + outcome.host()));
    }

    private static Instant at(NodeOutcome outcome) {
        Breakers.Fault fault = outcome.fault();
        return fault == null ? outcome.at() : fault.at();
    }

    /** Of late, and nobody has looked at any of its groups since, nor has a trial. */
    private boolean counts(NodeOutcome outcome) {
        if (isWell(outcome) && serving.contains(outcome.node())) {
            return true;
        }
        return at(outcome).isAfter(now.minus(settings.within()))
                && groups(outcome).stream()
                        .map(group -> states.get(group.id()))
                        .noneMatch(state ->
                                state != null && !state.open() && !at(outcome).isAfter(state.since()));
    }

    /** A node that never came up for another reason than its health says nothing. */
    private static boolean isWell(NodeOutcome outcome) {
        return outcome.fault() == null
                && switch (outcome.stage()) {
                    case JOINED, USED, UNUSED -> true;
                    case ORDERED, FAILED, REFUSED -> false;
                };
    }

    private boolean isOpen(Group group) {
        State state = states.get(group.id());
        return state != null && state.open();
    }

    void trials() {
        for (State state : List.copyOf(states.values())) {
            Instant from = SickGroups.trialFrom(state).orElse(null);
            if (from != null && state.seen() instanceof BreakerSight.NodesSick sick && !now.isBefore(from)) {
                List<NodeOutcome> tried = outcomes.stream()
                        .filter(outcome -> !at(outcome).isBefore(from))
                        .filter(outcome -> groups(outcome).stream()
                                .anyMatch(group -> group.id().equals(state.id())))
                        .toList();
                Optional<NodeOutcome> failed = tried.stream()
                        .filter(outcome -> outcome.fault() != null)
                        .findFirst();
                if (failed.isPresent()) {
                    put(state, true, again(sick, failed.get()));
                    continue;
                }
                tried.stream()
                        .filter(outcome -> isWell(outcome)
                                && outcome.stage() == Stage.USED
                                && !now.isBefore(outcome.at().plus(SickGroups.PROVEN)))
                        .findFirst()
                        .ifPresent(well -> put(
                                state,
                                false,
                                new BreakerSight.TrialPassed(state.id(), well.node(), sick.restSeconds())));
            }
        }
    }

    private void put(State state, boolean open, BreakerSight seen) {
        State next = new State(state.kind(), state.name(), open, seen, now);
        states.put(next.id(), next);
    }

    /** Opens the one that stands out most; others are looked at again then, for it explains some of them. */
    boolean opensOne() {
        Map<Group, Integer> sick = new HashMap<>();
        outcomes.stream()
                .filter(outcome -> outcome.fault() != null)
                .forEach(outcome -> groups(outcome).forEach(group -> sick.merge(group, 1, Integer::sum)));
        if (sick.values().stream().noneMatch(count -> count >= settings.least())) {
            return false;
        }
        Map<Group, List<NodeOutcome>> members = new HashMap<>();
        for (NodeOutcome outcome : outcomes) {
            groups(outcome)
                    .forEach(group -> members.computeIfAbsent(group, any -> new ArrayList<>())
                            .add(outcome));
        }
        Optional<Find> most = members.entrySet().stream()
                .filter(entry -> sick.getOrDefault(entry.getKey(), 0) >= settings.least())
                .filter(entry -> !isOpen(entry.getKey()) && !isWithinOpen(entry.getKey(), entry.getValue()))
                .flatMap(entry -> find(entry.getKey(), entry.getValue()).stream())
                .min(Comparator.comparingDouble(Find::improbable)
                        .thenComparing(find -> rank(find.group(), members.keySet()))
                        .thenComparing(find -> find.group().id()));
        most.ifPresent(this::open);
        return most.isPresent();
    }

    /**
     * Of groups that have the same nodes in them: the host, then the zone where others of its site are known to work, then
     * the offering, which is less.
     */
    private int rank(Group group, Set<Group> all) {
        return switch (group.kind()) {
            case HOST -> 0;
            case ZONE -> {
                String site = group.name().substring(0, group.name().indexOf('/') + 1);
                boolean others = all.stream()
                        .anyMatch(other -> other.kind() == Breaker.Kind.ZONE
                                && !other.equals(group)
                                && other.name().startsWith(site)
                                && outcomes.stream()
                                        .anyMatch(one ->
                                                isWell(one) && groups(one).contains(other)));
                yield others ? 1 : 3;
            }
            default -> 2;
        };
    }

    /** The whole of it is shut already by a wider one. */
    private boolean isWithinOpen(Group group, List<NodeOutcome> its) {
        return group.kind() != Breaker.Kind.ZONE
                && its.stream()
                        .allMatch(one -> groups(one).stream()
                                .anyMatch(other -> other.kind() == Breaker.Kind.ZONE && isOpen(other)));
    }

    private Optional<Find> find(Group group, List<NodeOutcome> its) {
        Set<String> all = new HashSet<>();
        Map<Group, Set<String>> within = new HashMap<>();
        for (NodeOutcome one : its) {
            if (one.fault() != null) {
                all.add(key(one, group));
                groups(one).stream()
                        .filter(this::isOpen)
                        .forEach(narrower -> within.computeIfAbsent(narrower, any -> new HashSet<>())
                                .add(key(one, group)));
            }
        }
        int explained = within.values().stream().mapToInt(Set::size).max().orElse(0);
        if (all.size() < settings.least() || all.size() - explained < Math.min(FRESH, settings.least())) {
            return Optional.empty();
        }
        Set<String> sickElsewhere = new HashSet<>();
        int wellElsewhere = 0;
        for (NodeOutcome one : outcomes) {
            List<Group> groups = groups(one);
            // Groups that stand out already say nothing of what all have.
            if (!groups.contains(group) && groups.stream().noneMatch(this::isOpen)) {
                if (one.fault() != null) {
                    sickElsewhere.add(key(one, group));
                } else if (isWell(one)) {
                    wellElsewhere++;
                }
            }
        }
        int elsewhere = sickElsewhere.size() + wellElsewhere;
        Find most = null;
        Set<String> sick = new HashSet<>();
        int well = (int) its.stream()
                .filter(one -> isWell(one) && serving.contains(one.node()))
                .count();
        List<NodeOutcome> faults = new ArrayList<>();
        for (NodeOutcome one : its.reversed()) {
            if (one.fault() == null) {
                well += isWell(one) && !serving.contains(one.node()) ? 1 : 0;
                continue;
            }
            faults.addFirst(one);
            sick.add(key(one, group));
            int nodes = sick.size() + well;
            if (sick.size() >= settings.least() && 100L * sick.size() >= (long) settings.percent() * nodes) {
                double improbable = Exceeding.probability(sick.size(), nodes, sickElsewhere.size(), elsewhere);
                if (improbable < IMPROBABLE && (most == null || improbable < most.improbable())) {
                    most = new Find(
                            group,
                            List.copyOf(faults),
                            sick.size(),
                            nodes,
                            sickElsewhere.size(),
                            elsewhere,
                            improbable);
                }
            }
        }
        return Optional.ofNullable(most);
    }

    /** The same for faults that have one cause for all that is known. */
    private static String key(NodeOutcome outcome, Group group) {
        Breakers.Fault fault = outcome.fault();
        if (fault != null && !fault.job().isEmpty()) {
            return "job " + fault.job();
        }
        if (!outcome.host().isEmpty() && group.kind() != Breaker.Kind.HOST) {
            return "host " + outcome.offering().site() + "/" + outcome.host();
        }
        return fault != null && fault.check().equals(Breakers.Fault.LOST)
                ? "lost " + outcome.offering().site() + " "
                        + Math.floorDiv(fault.at().getEpochSecond(), AT_ONCE)
                : "node " + outcome.node();
    }

    private void open(Find find) {
        State known = states.get(find.group().id());
        long rest = settings.rest().toSeconds();
        // A group that comes back soon rests for longer.
        if (known != null
                && known.seen() instanceof BreakerSight.TrialPassed(String id, String node, long before)
                && now.isBefore(known.since().plus(SickGroups.LONGEST_REST))) {
            rest = Math.min(SickGroups.LONGEST_REST.toSeconds(), Math.max(rest, 2 * before));
        }
        List<NodeOutcome> faults = find.faults();
        State state = new State(
                find.group().kind(),
                find.group().name(),
                true,
                new BreakerSight.NodesSick(
                        find.group().id(),
                        find.sick(),
                        find.nodes(),
                        find.sickElsewhere(),
                        find.elsewhere(),
                        faults.reversed().stream()
                                .limit(MOST_NAMED)
                                .map(NodeOutcome::node)
                                .toList(),
                        faults.stream()
                                .map(NodeOutcome::fault)
                                .filter(Objects::nonNull)
                                .map(Breakers.Fault::check)
                                .distinct()
                                .sorted()
                                .toList(),
                        found(faults.getLast()),
                        at(faults.getFirst()).getEpochSecond(),
                        rest),
                now);
        states.put(state.id(), state);
    }

    private static BreakerSight again(BreakerSight.NodesSick sick, NodeOutcome failed) {
        return sick.again(failed.node(), Objects.requireNonNull(failed.fault()), SickGroups.LONGEST_REST.toSeconds());
    }

    private static String found(NodeOutcome outcome) {
        Breakers.Fault fault = outcome.fault();
        return fault == null ? "" : fault.said();
    }
}
