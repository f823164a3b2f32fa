package org.spillway.scaler.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Seeds;
import org.spillway.scaler.plan.Breakers.Fault;
import org.spillway.scaler.plan.Breakers.NodeOutcome;
import org.spillway.scaler.plan.Breakers.Stage;
import org.spillway.scaler.plan.Breakers.State;
import org.spillway.scaler.plan.SickGroups.Settings;

/** Nodes that fall sick have a zone, an offering or a host in common, and chance alone shuts nothing. */
final class SickGroupsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T14:00:00Z");
    private static final OfferingId A = new OfferingId("east", "a", "small", Market.ON_DEMAND);
    private static final OfferingId A_LARGE = new OfferingId("east", "a", "large", Market.ON_DEMAND);
    private static final OfferingId B = new OfferingId("east", "b", "small", Market.ON_DEMAND);

    private final List<NodeOutcome> outcomes = new ArrayList<>();
    private final Set<String> serving = new HashSet<>();
    private List<State> states = List.of();
    private Instant now = NOW;
    private int count;

    private String node() {
        count++;
        now = now.plusSeconds(1);
        return "n" + count;
    }

    private void well(OfferingId offering, int nodes) {
        for (int i = 0; i < nodes; i++) {
            String node = node();
            outcomes.add(new NodeOutcome(now, offering, Stage.USED, "", node, "", null));
            serving.add(node);
        }
    }

    private String sick(OfferingId offering, String host, String job) {
        String node = node();
        Fault fault = new Fault(now, "health", "xids: 79", job);
        outcomes.add(new NodeOutcome(now, offering, Stage.FAILED, "it is sick", node, host, fault));
        return node;
    }

    private void sick(OfferingId offering, int nodes) {
        for (int i = 0; i < nodes; i++) {
            sick(offering, "", "");
        }
    }

    private List<String> look() {
        states = SickGroups.next(states, outcomes, serving, now, Settings.DEFAULTS);
        return states.stream().filter(State::open).map(State::id).toList();
    }

    @Test
    void theTailIsThatOfABetaBinomialDistribution() {
        assertThat(Exceeding.probability(0, 7, 0, 0)).isCloseTo(1, within(1e-12));
        assertThat(Exceeding.probability(1, 1, 0, 0)).isCloseTo(1.0 / 50, within(1e-12));
        assertThat(Exceeding.probability(3, 3, 0, 0)).isCloseTo(6.0 / (50 * 51 * 52), within(1e-12));
        assertThat(Exceeding.probability(1, 1, 9, 50)).isCloseTo(10.0 / 100, within(1e-12));
        assertThat(Exceeding.probability(2000, 4000, 2500, 5000))
                .as("no more than others have")
                .isBetween(0.3, 0.5);
    }

    @Test
    void aZoneWhoseNodesFallSickIsShutWithWhatWasSeen() {
        well(B, 60);
        sick(A, 2);
        assertThat(look()).as("two prove nothing").isEmpty();
        sick(A, 1);
        assertThat(look()).containsExactly("zone:east/a");
        State shut = states.getFirst();
        assertThat(shut.seen()).isInstanceOfSatisfying(BreakerSight.NodesSick.class, seen -> {
            assertThat(seen.sick()).isEqualTo(3);
            assertThat(seen.nodes()).isEqualTo(3);
            assertThat(seen.nodesElsewhere()).isEqualTo(60);
            assertThat(seen.which()).containsExactly("n63", "n62", "n61");
            assertThat(seen.sinceSeconds()).isEqualTo(NOW.plusSeconds(61).getEpochSecond());
        });
        assertThat(Breakers.remedy(shut))
                .isEqualTo("from 2026-11-21T15:01:03Z on one node at a time is tried there; when the cause is mended:"
                        + " spillway breaker close zone:east/a");
        assertThat(Breakers.open(states, now)).hasSize(1);
    }

    @Test
    void anOfferingIsShutWhereOthersOfItsZoneWork() {
        well(A_LARGE, 60);
        sick(A, 3);
        assertThat(look()).containsExactly("offering:east/a/small/ON_DEMAND");
        sick(A_LARGE, 1);
        assertThat(look()).as("one more is one").hasSize(1);
    }

    @Test
    void withNothingToCompareWithFourAreNeededAndLessIsShut() {
        sick(A, 3);
        assertThat(look()).isEmpty();
        sick(A, 1);
        assertThat(look()).containsExactly("offering:east/a/small/ON_DEMAND");
        sick(A_LARGE, 1);
        assertThat(look()).hasSize(1);
        sick(A_LARGE, 1);
        assertThat(look()).as("the zone, then").contains("zone:east/a");
    }

    @Test
    void whatAllHaveIsNoPattern() {
        for (int i = 0; i < 10; i++) {
            sick(A, 1);
            sick(B, 1);
            well(A, 1);
            well(B, 1);
        }
        assertThat(look()).isEmpty();
    }

    @Test
    void aFewOfManyThatServeShutNothing() {
        well(A, 100);
        well(B, 400);
        now = now.plus(Duration.ofDays(7));
        sick(A, 5);
        assertThat(look()).isEmpty();
    }

    @Test
    void oneHostIsShutAndNotItsZone() {
        well(A, 30);
        for (int i = 0; i < 4; i++) {
            sick(A, "h7", "");
        }
        assertThat(look()).containsExactly("host:east/h7");
        assertThat(Breakers.open(states, now)).as("launches go on").isEmpty();
        assertThat(SickGroups.refuses(states, "east", "h7", now)).isTrue();
        assertThat(SickGroups.refuses(states, "east", "h8", now)).isFalse();
        assertThat(SickGroups.refuses(states, "east", "", now)).isFalse();
        assertThat(SickGroups.refuses(states, "east", "h7", now.plus(Duration.ofHours(1))))
                .as("tried again")
                .isFalse();
    }

    @Test
    void nodesOfOneJobAndNodesLostAtOnceAreOne() {
        well(B, 60);
        for (int i = 0; i < 10; i++) {
            sick(A, "", "17");
        }
        Instant at = Instant.ofEpochSecond(now.getEpochSecond() / 300 * 300);
        for (int i = 0; i < 10; i++) {
            Fault lost = new Fault(at, Fault.LOST, "", "");
            outcomes.add(new NodeOutcome(at, A, Stage.USED, "", node(), "", lost));
        }
        assertThat(look()).isEmpty();
    }

    @Test
    void whenItHasRestedOneNodeIsTriedAndClosesItOrShutsItForLonger() {
        well(B, 60);
        sick(A, 4);
        look();
        State shut = states.getFirst();
        Instant from = SickGroups.trialFrom(shut).orElseThrow();
        assertThat(from).isEqualTo(now.plus(Duration.ofHours(1)));
        OfferingStatus status = new OfferingStatus(A, null, 1000, Duration.ofSeconds(60), "", 0);
        now = from;
        assertThat(Breakers.open(states, now)).isEmpty();
        assertThat(SickGroups.cut(List.of(status), Set.of(A, A_LARGE, B), states, Map.of(), now))
                .extracting(OfferingStatus::id, OfferingStatus::launchBudget)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(A, 1), org.assertj.core.groups.Tuple.tuple(A_LARGE, 1));
        assertThat(SickGroups.cut(List.of(status), Set.of(A), states, Map.of(A_LARGE, 1), now))
                .singleElement()
                .satisfies(cut -> assertThat(cut.mayLaunchAt(now))
                        .as("the one is under way")
                        .isFalse());
        String failed = sick(A, "", "");
        look();
        assertThat(states.getFirst().seen()).isInstanceOfSatisfying(BreakerSight.NodesSick.class, seen -> {
            assertThat(seen.which()).startsWith(failed);
            assertThat(seen.restSeconds()).isEqualTo(7200);
        });
        assertThat(Breakers.open(states, now)).hasSize(1);
        now = SickGroups.trialFrom(states.getFirst()).orElseThrow();
        well(A, 1);
        assertThat(look()).as("its first job has just begun").containsExactly("zone:east/a");
        now = now.plus(SickGroups.PROVEN);
        assertThat(look()).isEmpty();
        assertThat(states.getFirst().seen()).isEqualTo(new BreakerSight.TrialPassed("zone:east/a", "n66", 7200));
        sick(A, 4);
        assertThat(look()).containsExactly("zone:east/a");
        assertThat(states.getFirst().seen())
                .as("back so soon")
                .isInstanceOfSatisfying(
                        BreakerSight.NodesSick.class,
                        seen -> assertThat(seen.restSeconds()).isEqualTo(14_400));
    }

    @Test
    void anAdministratorClosesItAndWhatWasBeforeDoesNotCount() {
        well(B, 60);
        sick(A, 5);
        look();
        states = List.of(states.getFirst().closedBy("ada", now));
        assertThat(look()).isEmpty();
        sick(A, 2);
        assertThat(look()).isEmpty();
        sick(A, 1);
        assertThat(look()).containsExactly("zone:east/a");
    }

    @Test
    void zeroIsNever() {
        sick(A, 50);
        assertThat(SickGroups.next(
                        List.of(), outcomes, serving, now, new Settings(0, 30, Duration.ofHours(24), Duration.ZERO)))
                .isEmpty();
    }

    /** A site of four zones and two types, whose nodes live for hours; a part of them falls sick. */
    private static final class World {
        private final Random random;
        private final List<NodeOutcome> outcomes = new ArrayList<>();
        private final Map<String, Instant> serving = new HashMap<>();
        private List<State> states = List.of();
        private Instant now = NOW;
        private int bought;

        World(long seed) {
            random = new Random(seed);
        }

        /** @param rate of nodes that fall sick, by their zone */
        void step(double[] rate) {
            now = now.plusSeconds(60 + random.nextInt(240));
            serving.values().removeIf(until -> until.isBefore(now));
            List<OfferingId> open = new ArrayList<>();
            for (int zone = 0; zone < rate.length; zone++) {
                for (String type : List.of("small", "large")) {
                    OfferingId id = new OfferingId("east", "z" + zone, type, Market.ON_DEMAND);
                    if (states.stream()
                            .noneMatch(state -> SickGroups.shuts(state, now)
                                    && org.spillway.policy.ClusterSnapshot.Breaker.namesOver(id)
                                            .contains(state.name()))) {
                        open.add(id);
                    }
                }
            }
            OfferingId id = open.get(random.nextInt(open.size()));
            String node = "n" + bought++;
            String host = id.zone() + "-h" + random.nextInt(50);
            if (random.nextDouble() < rate[id.zone().charAt(1) - '0']) {
                Fault fault = new Fault(now, "health", "xids: 79", "");
                outcomes.add(new NodeOutcome(now, id, Stage.FAILED, "", node, host, fault));
            } else {
                outcomes.add(new NodeOutcome(now, id, Stage.USED, "", node, host, null));
                serving.put(node, now.plusSeconds(random.nextInt(6 * 3600)));
            }
            look(false);
        }

        /** @param shuffled in another order, from a journal that was read again */
        void look(boolean shuffled) {
            List<NodeOutcome> in = new ArrayList<>(outcomes);
            List<State> before = new ArrayList<>(states);
            if (shuffled) {
                Collections.shuffle(in, random);
                Collections.shuffle(before, random);
            }
            states = SickGroups.next(before, in, new TreeSet<>(serving.keySet()), now, Settings.DEFAULTS);
        }
    }

    /** Ten times as many as large clusters have in a day, each for itself. */
    @Test
    void independentFaultsShutNothing() {
        for (long seed : Seeds.of("independent faults", Seeds.some(100))) {
            World world = new World(seed);
            double rate = 0.02;
            for (int i = 0; i < 500; i++) {
                world.step(new double[] {rate, rate, rate, rate});
                assertThat(world.states).as("seed %d, node %d", seed, i).isEmpty();
            }
        }
    }

    /** Whatever was before: it is shut by itself, soon, with no other; and a head that starts again sees the same. */
    @Test
    void aZoneThatGoesBadIsShutSoonAndNoOther() {
        int most = 0;
        for (long seed : Seeds.of("bad zone", Seeds.some(100))) {
            World world = new World(seed);
            int before = world.random.nextInt(150);
            double[] rate = {0.005, 0.005, 0.005, 0.005};
            for (int i = 0; i < before; i++) {
                world.step(rate);
            }
            int bad = world.random.nextInt(4);
            rate[bad] = 0.9;
            int there = 0;
            while (world.states.stream().noneMatch(state -> state.id().equals("zone:east/z" + bad))) {
                int known = world.outcomes.size();
                world.step(rate);
                there += world.outcomes.get(known).offering().zone().equals("z" + bad) ? 1 : 0;
                assertThat(there).as("seed %d: nodes bought there", seed).isLessThan(25);
            }
            most = Math.max(most, there);
            assertThat(world.states)
                    .as("seed %d", seed)
                    .allSatisfy(state -> assertThat(state.name()).startsWith("east/z" + bad));
            List<State> shut = world.states;
            world.look(true);
            assertThat(world.states).as("seed %d, read again", seed).isEqualTo(shut);
        }
        System.out.println("bad zone: shut after at most " + most + " nodes");
    }
}
