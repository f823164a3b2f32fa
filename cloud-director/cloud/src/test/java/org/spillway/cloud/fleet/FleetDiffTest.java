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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Instance;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** Consequences of a listing, case by case, and what never follows. */
final class FleetDiffTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private static final Duration WINDOW = Duration.ofSeconds(30);
    private static final OfferingId OFFERING = new OfferingId("here", "a", "std", Market.ON_DEMAND);

    @Test
    void adoptsTheInstanceOfALostAnswer() {
        Instance found = instance("m1", "i1", Instance.State.PENDING);
        assertThat(diff(List.of(berth("n1", "i1", null)), List.of(unknown("i1", 5)), found))
                .containsExactly(new FleetAction.Adopt("n1", found));
    }

    @Test
    void givesEachOfSeveralBerthsOneInstanceAndEndsTheTwin() {
        Instance first = instance("m1", "i1", Instance.State.RUNNING);
        Instance second = instance("m2", "i1", Instance.State.RUNNING);
        Instance twin = instance("m3", "i1", Instance.State.RUNNING);
        List<FleetAction> actions = diff(
                List.of(berth("n2", "i1", null), berth("n1", "i1", null)),
                List.of(unknown("i1", 5)),
                twin,
                second,
                first);
        assertThat(actions)
                .containsExactly(
                        new FleetAction.Adopt("n1", first),
                        new FleetAction.Adopt("n2", second),
                        new FleetAction.End(twin, "a twin: every node of its intent has an instance"));
    }

    @Test
    void endsAnOrphan() {
        Instance orphan = instance("m1", "i9", Instance.State.RUNNING);
        assertThat(diff(List.of(), List.of(), orphan))
                .containsExactly(new FleetAction.End(orphan, "no node of this cluster owns it"));
    }

    @Test
    void endsAStoppedOrphanBecauseItMayComeBack() {
        Instance orphan = instance("m1", "", Instance.State.STOPPED);
        assertThat(diff(List.of(), List.of(), orphan)).hasSize(1).allMatch(FleetAction.End.class::isInstance);
    }

    @Test
    void endsALateArrivalOfACallThatWasGivenUp() {
        Instance late = instance("m1", "i1", Instance.State.RUNNING);
        assertThat(diff(
                        List.of(berth("n2", "i2", "m2")),
                        List.of(),
                        late,
                        instance("m2", "i2", Instance.State.RUNNING)))
                .containsExactly(new FleetAction.End(late, "no node of this cluster owns it"));
    }

    @Test
    void leavesACallAloneWhoseAnswerIsAwaited() {
        assertThat(diff(
                        List.of(berth("n1", "i1", null)),
                        List.of(new OpenCall("i1", null)),
                        instance("m1", "i1", Instance.State.RUNNING)))
                .isEmpty();
    }

    @Test
    void leavesWhatIsOnItsWayOutAlone() {
        assertThat(diff(
                        List.of(),
                        List.of(),
                        instance("m1", "i1", Instance.State.TERMINATING),
                        instance("m2", "i1", Instance.State.TERMINATED)))
                .isEmpty();
    }

    @Test
    void countsAbsenceByTheListingsStartAndOnlyAfterTheWindow() {
        List<Berth> berths = List.of(berth("n1", "i1", null));
        OpenCall call = new OpenCall("i1", NOW);
        assertThat(at(NOW.plus(WINDOW).minusNanos(1), berths, call)).isEmpty();
        assertThat(at(NOW.plus(WINDOW), berths, call)).containsExactly(new FleetAction.Absent("i1"));
    }

    @Test
    void adoptsBeforeItCallsTheRestAbsent() {
        Instance found = instance("m1", "i1", Instance.State.RUNNING);
        List<FleetAction> actions = FleetDiff.of(
                List.of(berth("n1", "i1", null), berth("n2", "i1", null)),
                List.of(new OpenCall("i1", NOW)),
                new Listing(NOW.plus(WINDOW), List.of(found)),
                WINDOW);
        assertThat(actions).containsExactly(new FleetAction.Adopt("n1", found), new FleetAction.Absent("i1"));
    }

    @Test
    void aNamedInstanceIsGoneOnlyAfterTheWindowToo() {
        List<Berth> berths = List.of(new Berth("n1", "i1", "m1", NOW));
        assertThat(FleetDiff.of(berths, List.of(), new Listing(NOW.plus(WINDOW).minusNanos(1), List.of()), WINDOW))
                .isEmpty();
        assertThat(FleetDiff.of(berths, List.of(), new Listing(NOW.plus(WINDOW), List.of()), WINDOW))
                .containsExactly(new FleetAction.Gone("n1"));
    }

    @Test
    void aTerminatedInstanceIsGoneAtOnce() {
        assertThat(diff(
                        List.of(new Berth("n1", "i1", "m1", NOW)),
                        List.of(),
                        instance("m1", "i1", Instance.State.TERMINATED)))
                .containsExactly(new FleetAction.Gone("n1"));
    }

    @Test
    void anInstanceOnTwoPagesOfAListingIsStillOne() {
        Instance found = instance("m1", "i1", Instance.State.RUNNING);
        assertThat(diff(
                        List.of(berth("n1", "i1", null), berth("n2", "i1", null)),
                        List.of(unknown("i1", 5)),
                        found,
                        found))
                .containsExactly(new FleetAction.Adopt("n1", found));
    }

    @Test
    void holdsForDrawnFleets() {
        for (long seed = 1; seed <= 2000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Berth> berths = berths(random);
            List<OpenCall> calls = calls(random);
            Listing listing = listing(random);
            List<FleetAction> actions = FleetDiff.of(berths, calls, listing, WINDOW);
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
                case FleetAction.End(Instance instance, String reason) -> {
                    assertThat(touched.add(instance.id()))
                            .as("adopted or ended twice")
                            .isTrue();
                    assertThat(owned).as("an owned instance is ended").doesNotContain(instance.id());
                    assertThat(reason).isNotEmpty();
                    OpenCall call = open.get(instance.intent());
                    assertThat(call == null || call.unknownSince() != null)
                            .as("ended while its answer is awaited")
                            .isTrue();
                }
                case FleetAction.Absent(String intent) ->
                    assertThat(open.get(intent).unknownSince())
                            .isBeforeOrEqualTo(listing.startedAt().minus(WINDOW));
                case FleetAction.Gone(String node) -> {
                    String named = places.get(node).instance();
                    assertThat(named).isNotNull();
                    assertThat(listing.instances())
                            .noneMatch(instance ->
                                    instance.id().equals(named) && instance.state() != Instance.State.TERMINATED);
                }
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
                    "n" + i, "i" + random.nextInt(4), named ? instance : null, NOW.minusSeconds(random.nextInt(60))));
        }
        return berths;
    }

    private static List<OpenCall> calls(SplittableRandom random) {
        List<OpenCall> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            if (random.nextBoolean()) {
                calls.add(new OpenCall("i" + i, random.nextBoolean() ? NOW.minusSeconds(random.nextInt(60)) : null));
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

    private static List<FleetAction> diff(List<Berth> berths, List<OpenCall> calls, Instance... instances) {
        return FleetDiff.of(berths, calls, new Listing(NOW, List.of(instances)), WINDOW);
    }

    private static List<FleetAction> at(Instant listed, List<Berth> berths, OpenCall call) {
        return FleetDiff.of(berths, List.of(call), new Listing(listed, List.of()), WINDOW);
    }

    private static Berth berth(String node, String intent, @Nullable String instance) {
        return new Berth(node, intent, instance, NOW);
    }

    private static OpenCall unknown(String intent, int secondsAgo) {
        return new OpenCall(intent, NOW.minusSeconds(secondsAgo));
    }

    private static Instance instance(String id, String intent, Instance.State state) {
        return new Instance(id, OFFERING, state, "", 22, NOW, Map.of(Instance.TAG_INTENT, intent));
    }
}
