package org.spillway.cloud.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** Consequences of a listing, case by case, and what never follows. */
final class FleetDiffTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private static final Duration WINDOW = Duration.ofSeconds(30);
    private static final FleetRules RULES = FleetRules.of(WINDOW, true);
    private static final FleetRules MUTE = FleetRules.of(WINDOW, false);
    private static final FleetAction.Stray NOBODYS = stray(FleetAction.Stray.Kind.NOBODYS);
    private static final FleetAction.Stray TWIN = stray(FleetAction.Stray.Kind.TWIN);
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
                        new FleetAction.Noticed(twin, TWIN));
    }

    @Test
    void endsAnOrphan() {
        Instance orphan = instance("m1", "i9", Instance.State.RUNNING);
        Story story = new Story(RULES).berths();
        assertThat(story.listed(orphan)).containsExactly(new FleetAction.Noticed(orphan, NOBODYS));
        assertThat(story.after(29).listed(orphan)).isEmpty();
        assertThat(story.after(1).listed(orphan)).containsExactly(new FleetAction.End(orphan, NOBODYS));
        assertThat(story.after(5).listed(orphan)).containsExactly(new FleetAction.End(orphan, NOBODYS));
    }

    @Test
    void endsAStoppedOrphanBecauseItMayComeBack() {
        Instance orphan = instance("m1", "", Instance.State.STOPPED);
        Story story = new Story(RULES).berths();
        assertThat(story.listed(orphan)).containsExactly(new FleetAction.Noticed(orphan, NOBODYS));
        assertThat(story.after(30).listed(orphan)).containsExactly(new FleetAction.End(orphan, NOBODYS));
    }

    @Test
    void endsALateArrivalOfACallThatWasGivenUp() {
        Instance late = instance("m1", "i1", Instance.State.RUNNING);
        assertThat(diff(
                        List.of(berth("n2", "i2", "m2")),
                        List.of(),
                        late,
                        instance("m2", "i2", Instance.State.RUNNING)))
                .containsExactly(new FleetAction.Noticed(late, NOBODYS));
    }

    @Test
    void leavesACallAloneWhoseAnswerIsAwaited() {
        assertThat(diff(
                        List.of(berth("n1", "i1", null)),
                        List.of(new OpenCall("i1", null, "")),
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
    void aLostLaunchIsDisprovedByTwoListingsApartAfterTheWindow() {
        Story story = new Story(RULES).berths(berth("n1", "i1", null)).calls(new OpenCall("i1", NOW, ""));
        assertThat(story.after(29).listed()).isEmpty();
        assertThat(story.after(1).listed()).isEmpty();
        assertThat(story.after(29).listed()).isEmpty();
        assertThat(story.after(1).listed()).containsExactly(new FleetAction.Absent("i1"));
    }

    @Test
    void adoptsBeforeItCallsTheRestAbsent() {
        Instance found = instance("m1", "i1", Instance.State.RUNNING);
        Story story = new Story(RULES)
                .berths(berth("n1", "i1", null), berth("n2", "i1", null))
                .calls(new OpenCall("i1", NOW, ""));
        story.after(30).listed();
        assertThat(story.after(30).listed(found))
                .containsExactly(new FleetAction.Adopt("n1", found), new FleetAction.Absent("i1"));
    }

    @Test
    void ofTwoHeadsWithOnePastEachAdoptsItsOwn() {
        Map<String, String> tags = Map.of(Instance.TAG_INTENT, "i1", Instance.TAG_STATE, "a.1.x");
        Instance others = Instance.of("m1", OFFERING, Instance.State.RUNNING, NOW, tags);
        OpenCall call = new OpenCall("i1", NOW, "a.1.y");
        assertThat(new Story(RULES).berths(berth("n1", "i1", null)).calls(call).listed(others))
                .containsExactly(new FleetAction.Noticed(others, NOBODYS));
        OpenCall its = new OpenCall("i1", NOW, "a.1.x");
        assertThat(new Story(RULES).berths(berth("n1", "i1", null)).calls(its).listed(others))
                .containsExactly(new FleetAction.Adopt("n1", others));
    }

    @Test
    void whatBearsNoIntentMayBeACallsUnderWay() {
        Instance nameless = instance("m1", "", Instance.State.PENDING);
        Story story = new Story(RULES).berths(berth("n1", "i1", null)).calls(new OpenCall("i1", null, ""));
        assertThat(story.listed(nameless)).isEmpty();
        assertThat(story.after(60).listed(nameless)).isEmpty();
    }

    @Nested
    class GoneIs {
        private final Instance living = instance("m1", "i1", Instance.State.RUNNING);
        private final Story story = new Story(RULES).berths(named("n1", "m1"));

        @Test
        void nothingBeforeTheWindow() {
            assertThat(story.after(29).listed()).isEmpty();
        }

        @Test
        void whatAListingLacksAndItsIdIsDenied() {
            assertThat(story.after(30).listed()).containsExactly(new FleetAction.Ask(List.of("m1")));
            assertThat(story.asked("m1", new Look.Denied("NotFound"))).satisfiesExactly(FleetDiffTest::gone);
        }

        @Test
        void notWhatItsIdStillFindsHoweverLongListingsLackIt() {
            for (int i = 0; i < 100; i++) {
                assertThat(story.after(31).listed()).containsExactly(new FleetAction.Ask(List.of("m1")));
                assertThat(story.asked("m1", new Look.Found(living))).isEmpty();
            }
        }

        @Test
        void notWhatNobodyAnsweredFor() {
            for (int i = 0; i < 100; i++) {
                assertThat(story.after(31).listed()).containsExactly(new FleetAction.Ask(List.of("m1")));
            }
        }

        @Test
        void whatTwoListingsApartLackAndNobodyIsSureOf() {
            story.after(30).listed();
            assertThat(story.asked("m1", new Look.Unsure("?"))).isEmpty();
            assertThat(story.after(29).listed()).containsExactly(new FleetAction.Ask(List.of("m1")));
            assertThat(story.asked("m1", new Look.Unsure("?"))).isEmpty();
            assertThat(story.after(1).listed()).satisfiesExactly(FleetDiffTest::gone);
        }

        @Test
        void byTwoListingsApartWhereTheProviderCannotBeAsked() {
            Story mute = new Story(MUTE).berths(named("n1", "m1"));
            assertThat(mute.after(30).listed()).isEmpty();
            assertThat(mute.after(29).listed()).isEmpty();
            assertThat(mute.after(1).listed()).satisfiesExactly(FleetDiffTest::gone);
        }

        @Test
        void notWhatWasSeenInBetween() {
            Story mute = new Story(MUTE).berths(named("n1", "m1"));
            mute.after(30).listed();
            mute.after(10).listed(living);
            assertThat(mute.after(20).listed()).isEmpty();
            assertThat(mute.after(30).listed()).satisfiesExactly(FleetDiffTest::gone);
        }

        @Test
        void notWhatIsSaidToHaveEndedAndRuns() {
            Instance lie = instance("m1", "i1", Instance.State.TERMINATED);
            assertThat(story.listed(lie)).containsExactly(new FleetAction.Ask(List.of("m1")));
            assertThat(story.asked("m1", new Look.Found(living))).isEmpty();
            assertThat(story.after(5).listed(living)).isEmpty();
            assertThat(story.memory.lapses()).isEmpty();
        }

        @Test
        void whatIsSaidTwiceToHaveEnded() {
            Instance ended = instance("m1", "i1", Instance.State.TERMINATED);
            story.listed(ended);
            assertThat(story.asked("m1", new Look.Found(ended))).satisfiesExactly(FleetDiffTest::gone);
        }

        @Test
        void rememberedWhenItAppearsAgain() {
            story.after(30).listed();
            story.asked("m1", new Look.Denied("NotFound"));
            story.berths();
            FleetAction.Stray why = new FleetAction.Stray(FleetAction.Stray.Kind.DECLARED_GONE, "n1");
            assertThat(story.after(1).listed(living)).containsExactly(new FleetAction.Noticed(living, why));
            assertThat(story.after(29).listed(living)).isEmpty();
            assertThat(story.after(1).listed(living)).containsExactly(new FleetAction.End(living, why));
        }
    }

    @Nested
    class OffOrEnding {
        @Test
        void isProvenByTwoLooks() {
            for (Instance.State state : List.of(Instance.State.STOPPED, Instance.State.TERMINATING)) {
                Instance said = instance("m1", "i1", state);
                Story story = new Story(RULES).berths(named("n1", "m1"));
                assertThat(story.listed(said)).containsExactly(new FleetAction.Ask(List.of("m1")));
                assertThat(story.memory.isProven("m1", RULES)).isFalse();
                story.asked("m1", new Look.Found(instance("m1", "i1", Instance.State.RUNNING)));
                assertThat(story.memory.isProven("m1", RULES)).isFalse();
                story.asked("m1", new Look.Found(said));
                assertThat(story.memory.isProven("m1", RULES)).isTrue();
            }
        }

        @Test
        void surprisesNobodyWhereItWasAskedFor() {
            Story story = new Story(RULES)
                    .berths(
                            new Berth("n1", "i1", "m1", NOW, Berth.Expected.OFF),
                            new Berth("n2", "i1", "m2", NOW, Berth.Expected.ENDED));
            assertThat(story.listed(
                            instance("m1", "i1", Instance.State.STOPPED),
                            instance("m2", "i1", Instance.State.TERMINATING)))
                    .isEmpty();
        }
    }

    @Nested
    class Doubt {
        private final Berth[] ten =
                IntStream.range(0, 10).mapToObj(i -> named("n" + i, "m" + i)).toArray(Berth[]::new);
        private final Story story = new Story(RULES).berths(ten);

        @Test
        void isCastOnAListingThatLacksTooManyAtOnce() {
            assertThat(story.after(60).listed(some(6))).contains(new FleetAction.Doubt(4, 10));
            assertThat(new Story(RULES).berths(ten).after(60).listed(some(7)))
                    .noneMatch(FleetAction.Doubt.class::isInstance);
        }

        @Test
        void needsBothKindsOfProof() {
            story.after(60).listed();
            for (int i = 0; i < 10; i++) {
                assertThat(story.asked("m" + i, new Look.Denied("NotFound"))).isEmpty();
            }
            assertThat(story.after(29).listed()).noneMatch(FleetAction.Gone.class::isInstance);
            assertThat(story.after(1).listed())
                    .filteredOn(FleetAction.Gone.class::isInstance)
                    .hasSize(10);
        }

        @Test
        void provesNoLaunchAbsentAndOutlastsTheSecondListing() {
            Story mute = new Story(MUTE).berths(ten).calls(new OpenCall("i9", NOW, ""));
            mute.after(60);
            for (int seconds = 0; seconds < 300; seconds += 30) {
                assertThat(mute.listed()).containsExactly(new FleetAction.Doubt(10, 10));
                mute.after(30);
            }
            assertThat(mute.listed())
                    .filteredOn(FleetAction.Gone.class::isInstance)
                    .hasSize(10);
        }

        @Test
        void isNotCastOnWhatWeHaveEnded() {
            Story ended = new Story(RULES)
                    .berths(Arrays.stream(ten)
                            .map(one -> new Berth(one.node(), one.intent(), one.instance(), NOW, Berth.Expected.ENDED))
                            .toArray(Berth[]::new));
            assertThat(ended.after(60).listed()).noneMatch(FleetAction.Doubt.class::isInstance);
        }

        private Instance[] some(int count) {
            return IntStream.range(0, count)
                    .mapToObj(i -> instance("m" + i, "i1", Instance.State.RUNNING))
                    .toArray(Instance[]::new);
        }
    }

    @Test
    void asksForABoundedNumberAndForAllInTurn() {
        Berth[] many =
                IntStream.range(0, 250).mapToObj(i -> named("n" + i, "m" + i)).toArray(Berth[]::new);
        Story story = new Story(RULES).berths(many);
        Set<String> asked = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            for (FleetAction action : story.after(60).listed()) {
                if (action instanceof FleetAction.Ask(List<String> ids)) {
                    assertThat(ids).hasSizeLessThanOrEqualTo(Lookup.MOST_IDS);
                    asked.addAll(ids);
                    ids.forEach(id -> story.asked(id, new Look.Unsure("?")));
                }
            }
        }
        assertThat(asked).hasSize(250);
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

    private static List<FleetAction> diff(List<Berth> berths, List<OpenCall> calls, Instance... instances) {
        return FleetDiff.of(berths, calls, new Listing(NOW, List.of(instances)), RULES, FleetMemory.NONE)
                .actions();
    }

    /** Looks one after the other, each with the memory of those before. */
    private static final class Story {
        private final FleetRules rules;
        private FleetMemory memory = FleetMemory.NONE;
        private List<Berth> berths = List.of();
        private List<OpenCall> calls = List.of();
        private Instant now = NOW;

        Story(FleetRules rules) {
            this.rules = rules;
        }

        Story berths(Berth... some) {
            berths = List.of(some);
            return this;
        }

        Story calls(OpenCall... some) {
            calls = List.of(some);
            return this;
        }

        Story after(int seconds) {
            now = now.plusSeconds(seconds);
            return this;
        }

        List<FleetAction> listed(Instance... instances) {
            FleetDiff.Diff diff = FleetDiff.of(berths, calls, new Listing(now, List.of(instances)), rules, memory);
            memory = diff.memory();
            return diff.actions();
        }

        List<FleetAction> asked(String id, Look look) {
            FleetDiff.Diff diff = FleetDiff.asked(berths, Map.of(id, look), now, rules, memory);
            memory = diff.memory();
            return diff.actions();
        }
    }

    private static void gone(FleetAction action) {
        assertThat(action)
                .isInstanceOfSatisfying(
                        FleetAction.Gone.class, gone -> assertThat(gone.node()).isEqualTo("n1"));
    }

    private static FleetAction.Stray stray(FleetAction.Stray.Kind kind) {
        return new FleetAction.Stray(kind, "");
    }

    private static Berth named(String node, String instance) {
        return new Berth(node, "i1", instance, NOW, Berth.Expected.RUNNING);
    }

    private static Berth berth(String node, String intent, @Nullable String instance) {
        return new Berth(node, intent, instance, NOW, Berth.Expected.RUNNING);
    }

    private static OpenCall unknown(String intent, int secondsAgo) {
        return new OpenCall(intent, NOW.minusSeconds(secondsAgo), "");
    }

    private static Instance instance(String id, String intent, Instance.State state) {
        return Instance.of(id, OFFERING, state, NOW, Map.of(Instance.TAG_INTENT, intent));
    }
}
