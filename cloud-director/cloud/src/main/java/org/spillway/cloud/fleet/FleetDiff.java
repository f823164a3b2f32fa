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

/**
 * Compares one whole listing of a site with the journal. Pure. A live instance is owned when a live node names it; it
 * is adopted when it bears the intent of a call whose answer was lost; while a call's answer is awaited it is left
 * alone; anything else is ended, be it a twin, a late arrival of a call given up, or an orphan.
 *
 * <p>Absence counts only in a listing that was started at least the provider's consistency window after the instance
 * was named or the answer was given up. Linear in instances and nodes.
 */
public final class FleetDiff {
    private FleetDiff() {}

    public static List<FleetAction> of(
            Collection<Berth> berths, Collection<OpenCall> openCalls, Listing listing, Duration window) {
        List<FleetAction> actions = new ArrayList<>();
        Map<String, OpenCall> calls = new HashMap<>();
        openCalls.forEach(call -> calls.put(call.intent(), call));
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
        Set<String> seen = new HashSet<>();
        listing.instances().stream()
                // Pages of a listing may overlap: an instance that stands on two of them is still one.
                .filter(instance ->
                        instance.state().isLive() && !owned.contains(instance.id()) && seen.add(instance.id()))
                .sorted(Comparator.comparing(Instance::id))
                .forEach(instance -> unowned(instance, calls, free, actions));
        openCalls.stream()
                .filter(call -> isOver(call.unknownSince(), window, listing))
                .forEach(call -> actions.add(new FleetAction.Absent(call.intent())));
        Map<String, Instance.State> states = new HashMap<>();
        listing.instances().forEach(instance -> states.put(instance.id(), instance.state()));
        berths.stream()
                .filter(berth -> isGone(berth, states, window, listing))
                .forEach(berth -> actions.add(new FleetAction.Gone(berth.node())));
        return actions;
    }

    private static void unowned(
            Instance instance, Map<String, OpenCall> calls, Map<String, Deque<Berth>> free, List<FleetAction> actions) {
        OpenCall call = calls.get(instance.intent());
        if (call == null) {
            actions.add(new FleetAction.End(instance, "no node of this cluster owns it"));
        } else if (call.unknownSince() != null) {
            Deque<Berth> places = free.getOrDefault(instance.intent(), new ArrayDeque<>());
            Berth place = places.poll();
            actions.add(
                    place == null
                            ? new FleetAction.End(instance, "a twin: every node of its intent has an instance")
                            : new FleetAction.Adopt(place.node(), instance));
        }
    }

    private static boolean isOver(@Nullable Instant since, Duration window, Listing listing) {
        return since != null && !listing.startedAt().isBefore(since.plus(window));
    }

    private static boolean isGone(Berth berth, Map<String, Instance.State> states, Duration window, Listing listing) {
        if (berth.instance() == null) {
            return false;
        }
        Instance.State state = states.get(berth.instance());
        return state == null ? isOver(berth.namedAt(), window, listing) : state == Instance.State.TERMINATED;
    }
}
