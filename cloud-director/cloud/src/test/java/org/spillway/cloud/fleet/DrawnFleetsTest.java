package org.spillway.cloud.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Instance;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** Whatever stands in one listing: what never follows from it. */
final class DrawnFleetsTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private static final FleetRules RULES = FleetRules.of(Duration.ofSeconds(30), true);
    private static final OfferingId OFFERING = new OfferingId("here", "a", "std", Market.ON_DEMAND);

    @Test
    void holdsForDrawnFleets() {
        for (long seed = 1; seed <= 2000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Berth> berths = berths(random);
            List<OpenCall> calls = calls(random);
            Listing listing = listing(random);
            List<FleetAction> actions = FleetDiff.of(berths, calls, listing, RULES, FleetMemory.NONE)
                    .actions();
            try {
                check(berths, calls, listing, actions);
            } catch (AssertionError broken) {
                throw new AssertionError("seed " + seed + ": " + berths + calls + listing + actions, broken);
            }
        }
    }

    private static void check(List<Berth> berths, List<OpenCall> calls, Listing listing, List<FleetAction> actions) {
        Set<String> owned = new HashSet<>();
        Map<String, Berth> places = new HashMap<>();
        berths.forEach(berth -> {
            places.put(berth.node(), berth);
            if (berth.instance() != null) {
                owned.add(berth.instance());
            }
        });
        Map<String, OpenCall> open = new HashMap<>();
        calls.forEach(call -> open.put(call.intent(), call));
        Set<String> touched = new HashSet<>();
        Set<String> filled = new HashSet<>();
        for (FleetAction action : actions) {
            switch (action) {
                case FleetAction.Adopt(String node, Instance instance) -> {
                    assertThat(touched.add(instance.id()))
                            .as("adopted or ended twice")
                            .isTrue();
                    assertThat(filled.add(node))
                            .as("two instances for one berth")
                            .isTrue();
                    assertThat(owned).doesNotContain(instance.id());
                    Berth place = places.get(node);
                    assertThat(place).isNotNull();
                    assertThat(place.instance()).isNull();
                    assertThat(place.intent()).isEqualTo(instance.intent());
                    assertThat(open.get(instance.intent()).unknownSince()).isNotNull();
                }
                case FleetAction.Noticed(Instance instance, FleetAction.Stray why) -> {
                    assertThat(touched.add(instance.id()))
                            .as("adopted or noticed twice")
                            .isTrue();
                    assertThat(owned).as("an owned instance is noticed").doesNotContain(instance.id());
                    assertThat(why.node()).isEmpty();
                    OpenCall call = open.get(instance.intent());
                    assertThat(call == null || call.unknownSince() != null)
                            .as("noticed while its answer is awaited")
                            .isTrue();
                }
                case FleetAction.Ask(List<String> ids) -> assertThat(owned).containsAll(ids);
                case FleetAction.Doubt(int missing, int lived) ->
                    assertThat(missing).isGreaterThan(3).isLessThanOrEqualTo(lived);
                case FleetAction.End end -> throw new AssertionError("ended on one look: " + end);
                case FleetAction.Absent absent -> throw new AssertionError("disproved by one look: " + absent);
                case FleetAction.Gone gone -> throw new AssertionError("gone on one look: " + gone);
            }
        }
        // Whatever is live and neither owned nor awaited was dealt with.
        for (Instance instance : listing.instances()) {
            OpenCall call = open.get(instance.intent());
            boolean awaited = call != null && call.unknownSince() == null;
            if (instance.state().isLive() && !owned.contains(instance.id()) && !awaited) {
                assertThat(touched).contains(instance.id());
            }
        }
    }

    private static List<Berth> berths(SplittableRandom random) {
        List<Berth> berths = new ArrayList<>();
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < random.nextInt(8); i++) {
            String instance = "m" + random.nextInt(10);
            boolean named = random.nextBoolean() && taken.add(instance);
            berths.add(new Berth(
                    "n" + i,
                    "i" + random.nextInt(4),
                    named ? instance : null,
                    NOW.minusSeconds(random.nextInt(60)),
                    Berth.Expected.RUNNING));
        }
        return berths;
    }

    private static List<OpenCall> calls(SplittableRandom random) {
        List<OpenCall> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            if (random.nextBoolean()) {
                calls.add(
                        new OpenCall("i" + i, random.nextBoolean() ? NOW.minusSeconds(random.nextInt(60)) : null, ""));
            }
        }
        return calls;
    }

    private static Listing listing(SplittableRandom random) {
        List<Instance> instances = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            if (random.nextBoolean()) {
                Instance.State[] states = Instance.State.values();
                Instance instance = instance("m" + i, "i" + random.nextInt(5), states[random.nextInt(states.length)]);
                instances.add(instance);
                if (random.nextInt(8) == 0) {
                    instances.add(instance);
                }
            }
        }
        return new Listing(NOW, instances);
    }

    private static Instance instance(String id, String intent, Instance.State state) {
        return Instance.of(id, OFFERING, state, NOW, Map.of(Instance.TAG_INTENT, intent));
    }
}
