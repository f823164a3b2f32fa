package org.spillway.cloud.fleet;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;

/**
 * Compares one whole listing of a site with the journal and with what was seen before. Pure. A live instance is owned
 * when a live node names it; it is adopted when it bears the intent of a call whose answer was lost; while a call's
 * answer is awaited it is left alone; anything else has no owner, be it a twin, a late arrival of a call given up, or an
 * orphan.
 *
 * <p>Nothing ends on one look. An instance is gone when a listing lacks it, or says that it has ended, and the provider,
 * asked by its id, denies it; where it cannot be asked or does not know, when two listings apart in time lack it. A
 * listing that lacks too many at once is doubted: then both are needed. What has no owner is ended only when two
 * listings apart in time show it so. Absence counts only in a listing that was started at least the provider's
 * consistency window after the instance was named or the answer was given up. Linear in instances and nodes.
 */
public final class FleetDiff {
    private FleetDiff() {}

    /** Consequences, and the memory for the next look. */
    public record Diff(List<FleetAction> actions, FleetMemory memory) {
        public Diff {
            actions = List.copyOf(actions);
        }
    }

    /** @param memory of the looks before */
    public static Diff of(
            Collection<Berth> berths,
            Collection<OpenCall> openCalls,
            Listing listing,
            FleetRules rules,
            FleetMemory memory) {
        List<FleetAction> actions = new ArrayList<>();
        Map<String, Instance.State> states = new HashMap<>();
        // Pages may overlap, and one may be older than the other: whoever lives on one of them lives.
        listing.instances()
                .forEach(one -> states.merge(one.id(), one.state(), (a, b) -> b.isLive() || !a.isLive() ? b : a));
        Doubtful doubtful = Doubtful.of(berths, states, listing.startedAt(), rules);
        Map<String, Instant> strays = strays(berths, openCalls, listing, rules, memory, actions);
        if (doubtful.isDoubted()) {
            memory.strays().forEach(strays::putIfAbsent);
        }
        Map<String, Instant> missed =
                missed(openCalls, listing.startedAt(), doubtful.isDoubted(), rules, memory, actions);
        Map<String, String> buried = new HashMap<>(memory.buried());
        Map<String, Lapse> lapses = lapses(berths, states, doubtful, listing.startedAt(), rules, memory);
        gone(berths, lapses, rules, buried, actions);
        if (doubtful.isDoubted()) {
            actions.add(new FleetAction.Doubt(doubtful.missing(), doubtful.lived()));
        }
        ask(lapses, listing.startedAt(), rules, actions);
        return new Diff(actions, new FleetMemory(lapses, strays, missed, buried));
    }

    /**
     * Consequences of answers by id.
     *
     * @param askedAt when the question began
     */
    public static Diff asked(
            Collection<Berth> berths, Map<String, Look> looks, Instant askedAt, FleetRules rules, FleetMemory memory) {
        List<FleetAction> actions = new ArrayList<>();
        Map<String, Lapse> lapses = new HashMap<>(memory.lapses());
        looks.forEach((id, look) -> lapses.computeIfPresent(id, (same, lapse) -> lapse.asked(askedAt, look)));
        Map<String, String> buried = new HashMap<>(memory.buried());
        gone(berths, lapses, rules, buried, actions);
        return new Diff(actions, new FleetMemory(lapses, memory.strays(), memory.missed(), buried));
    }

    /** Of what lived before, as far as its absence would be news. */
    private record Doubtful(int missing, int lived, boolean isDoubted) {
        static Doubtful of(
                Collection<Berth> berths, Map<String, Instance.State> states, Instant startedAt, FleetRules rules) {
            int missing = 0;
            int lived = 0;
            for (Berth berth : berths) {
                boolean old = !startedAt.isBefore(berth.namedAt().plus(rules.window()));
                if (berth.instance() != null && old && berth.expected() != Berth.Expected.ENDED) {
                    Instance.State state = states.get(berth.instance());
                    lived++;
                    missing += state == null || state == Instance.State.TERMINATED ? 1 : 0;
                }
            }
            return new Doubtful(missing, lived, rules.isDoubtful(missing, lived));
        }
    }

    private static Map<String, Instant> strays(
            Collection<Berth> berths,
            Collection<OpenCall> openCalls,
            Listing listing,
            FleetRules rules,
            FleetMemory memory,
            List<FleetAction> actions) {
        Map<String, OpenCall> calls = new HashMap<>();
        openCalls.forEach(call -> calls.put(call.intent(), call));
        boolean awaiting = openCalls.stream().anyMatch(call -> call.unknownSince() == null);
        Map<String, Deque<Berth>> free = new HashMap<>();
        Set<String> owned = new HashSet<>();
        berths.stream().sorted(Comparator.comparing(Berth::node)).forEach(berth -> {
            if (berth.instance() == null) {
                free.computeIfAbsent(berth.intent(), intent -> new ArrayDeque<>())
                        .add(berth);
            } else {
                owned.add(berth.instance());
            }
        });
        Map<String, Instant> strays = new HashMap<>();
        Set<String> seen = new HashSet<>();
        List<Instance> unowned = listing.instances().stream()
                .filter(one -> one.state().isLive() && !owned.contains(one.id()) && seen.add(one.id()))
                .sorted(Comparator.comparing(Instance::id))
                .toList();
        for (Instance instance : unowned) {
            OpenCall named = calls.get(instance.intent());
            OpenCall call = named != null && named.mayHaveMade(instance) ? named : null;
            // A call under way may own it; one that bears no intent may be anybody's.
            boolean awaited = call == null ? awaiting && instance.intent().isEmpty() : call.unknownSince() == null;
            Berth place = call == null || awaited
                    ? null
                    : free.getOrDefault(instance.intent(), new ArrayDeque<>()).poll();
            if (place != null) {
                actions.add(new FleetAction.Adopt(place.node(), instance));
            } else if (!awaited) {
                Instant first = memory.strays().getOrDefault(instance.id(), listing.startedAt());
                strays.put(instance.id(), first);
                FleetAction.Stray why = stray(instance, call != null, memory);
                if (!memory.strays().containsKey(instance.id())) {
                    actions.add(new FleetAction.Noticed(instance, why));
                } else if (isApart(first, listing.startedAt(), rules.apart())) {
                    actions.add(new FleetAction.End(instance, why));
                }
            }
        }
        return strays;
    }

    private static FleetAction.Stray stray(Instance instance, boolean twin, FleetMemory memory) {
        String node = memory.buried().getOrDefault(instance.id(), "");
        return new FleetAction.Stray(
                !node.isEmpty()
                        ? FleetAction.Stray.Kind.DECLARED_GONE
                        : twin ? FleetAction.Stray.Kind.TWIN : FleetAction.Stray.Kind.NOBODYS,
                node);
    }

    private static Map<String, Instant> missed(
            Collection<OpenCall> openCalls,
            Instant startedAt,
            boolean doubted,
            FleetRules rules,
            FleetMemory memory,
            List<FleetAction> actions) {
        Map<String, Instant> missed = new HashMap<>();
        for (OpenCall call : openCalls) {
            Instant first = memory.missed().get(call.intent());
            boolean over = call.unknownSince() != null && isApart(call.unknownSince(), startedAt, rules.window());
            if (first != null && over && !doubted && isApart(first, startedAt, rules.apart())) {
                actions.add(new FleetAction.Absent(call.intent()));
            } else if (first != null) {
                missed.put(call.intent(), first);
            } else if (over && !doubted) {
                missed.put(call.intent(), startedAt);
            }
        }
        return missed;
    }

    private static boolean isApart(Instant first, Instant second, Duration apart) {
        return !second.isBefore(first.plus(apart));
    }

    private static Map<String, Lapse> lapses(
            Collection<Berth> berths,
            Map<String, Instance.State> states,
            Doubtful doubtful,
            Instant startedAt,
            FleetRules rules,
            FleetMemory memory) {
        Map<String, Lapse> lapses = new HashMap<>();
        for (Berth berth : berths) {
            String id = berth.instance();
            Lapse.Shown shown = id == null ? null : shown(berth, states.get(id), startedAt, rules);
            if (id != null && shown != null) {
                boolean doubted = shown == Lapse.Shown.GONE && doubtful.isDoubted();
                Lapse before = memory.lapse(id);
                lapses.put(
                        id,
                        before != null && before.shown() == shown
                                ? before.again(startedAt, doubted)
                                : new Lapse(shown, startedAt, startedAt, 1, doubted, null, null));
            }
        }
        return lapses;
    }

    /** Null when it is shown as it should be, or nothing follows yet. */
    private static Lapse.@Nullable Shown shown(
            Berth berth, Instance.@Nullable State state, Instant startedAt, FleetRules rules) {
        if (state == null) {
            return isApart(berth.namedAt(), startedAt, rules.window()) ? Lapse.Shown.GONE : null;
        }
        return switch (state) {
            case PENDING, RUNNING -> null;
            case STOPPING, STOPPED -> berth.expected() == Berth.Expected.RUNNING ? Lapse.Shown.OFF : null;
            case TERMINATING -> berth.expected() == Berth.Expected.ENDED ? null : Lapse.Shown.ENDING;
            case TERMINATED -> Lapse.Shown.GONE;
        };
    }

    private static void gone(
            Collection<Berth> berths,
            Map<String, Lapse> lapses,
            FleetRules rules,
            Map<String, String> buried,
            List<FleetAction> actions) {
        for (Berth berth : berths) {
            String id = berth.instance();
            Lapse lapse = id == null ? null : lapses.get(id);
            if (id != null && lapse != null && lapse.shown() == Lapse.Shown.GONE && lapse.isProven(rules)) {
                actions.add(new FleetAction.Gone(berth.node(), lapse));
                lapses.remove(id);
                if (buried.size() >= FleetMemory.MOST_BURIED) {
                    buried.clear();
                }
                buried.put(id, berth.node());
            }
        }
    }

    /** Ids that were never asked for come first, then those whose answer is oldest. */
    private static void ask(Map<String, Lapse> lapses, Instant startedAt, FleetRules rules, List<FleetAction> actions) {
        List<String> due = !rules.asksById()
                ? List.of()
                : lapses.entrySet().stream()
                        .filter(each -> each.getValue().isDue(startedAt))
                        .sorted(Map.Entry.<String, Lapse>comparingByValue(Comparator.comparing(Lapse::lastAsked))
                                .thenComparing(Map.Entry.comparingByKey()))
                        .limit(Lookup.MOST_IDS)
                        .map(Map.Entry::getKey)
                        .toList();
        if (!due.isEmpty()) {
            actions.add(new FleetAction.Ask(due));
        }
    }
}
