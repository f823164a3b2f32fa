package org.spillway.head.loop.sites;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.sites.DirectorDecision.Buy;
import org.spillway.head.loop.sites.DirectorDecision.Facts;
import org.spillway.head.loop.sites.DirectorDecision.Hold;
import org.spillway.policy.ClusterSnapshot.Breaker;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;
import org.spillway.scaler.plan.BreakerSight;
import org.spillway.scaler.plan.Breakers;
import org.spillway.scaler.plan.OfferingHealth;

final class DirectorDecisionTest {
    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");

    private final List<NodeRecord> nodes = new ArrayList<>();
    private final List<LaunchRecord> launches = new ArrayList<>();
    private final Map<OfferingId, Cause> full = new HashMap<>();
    private List<Breakers.State> breakers = List.of();
    private List<Offering> offerings = List.of(offering("a", "1"), offering("b", "1"), offering("c", "1"));

    private static Offering offering(String zone, String price) {
        return Offering.of(id(zone), Resources.of(4, 8L << 30, 0), Money.parse(price));
    }

    private static OfferingId id(String zone) {
        return new OfferingId("east", zone, "std", Market.ON_DEMAND);
    }

    private DirectorDecision decide(Instant now) {
        return DirectorDecision.of(facts(now));
    }

    private Facts facts(Instant now) {
        return new Facts(
                now,
                DirectorScene.PLAN,
                offerings,
                OfferingHealth.fold(launches, now),
                breakers,
                DirectorTrials.of(nodes, DirectorScene.PLAN, DirectorDecision.countedFrom("east", breakers)),
                full);
    }

    private void director(String zone, Instant from, Instant to, Cause why) {
        nodes.add(DirectorScene.ended("d" + nodes.size(), id(zone), from, to, why));
    }

    private void refused(String zone, Instant at) {
        launches.add(new LaunchRecord(
                at, id(zone), 1, new LaunchOutcome.Refused(LaunchOutcome.Reason.CAPACITY, "INSUFFICIENT")));
    }

    private static String zone(DirectorDecision decision) {
        return ((Buy) decision).offering().id().zone();
    }

    /** Of three zones one counts against a quota that is full, then all. */
    @Test
    void aFullQuotaIsNamedAndNothingIsAskedForAgainstIt() {
        Cause quota = new WaitCause.QuotaFull("east", "L-1", "vCPUs", Limits.Unit.CPUS, 96, 96, "ask");
        full.put(id("a"), quota);
        assertThat(zone(decide(NOON))).isEqualTo("b");
        full.putAll(Map.of(id("b"), quota, id("c"), quota));
        assertThat(decide(NOON)).isEqualTo(new Hold(quota));
        full.clear();
        assertThat(zone(decide(NOON))).isEqualTo("a");
    }

    @Test
    void aZoneWithoutRoomIsLeftAloneAndTheNextIsAsked() {
        assertThat(zone(decide(NOON))).isEqualTo("a");
        refused("a", NOON);
        assertThat(zone(decide(NOON.plusSeconds(5)))).isEqualTo("b");
        refused("b", NOON.plusSeconds(5));
        refused("c", NOON.plusSeconds(10));
        assertThat(decide(NOON.plusSeconds(15)))
                .isInstanceOfSatisfying(
                        Hold.class,
                        hold -> assertThat(hold.why())
                                .isInstanceOfSatisfying(
                                        SiteCause.DirectorRefused.class,
                                        why -> assertThat(why.zones()).isEqualTo(3)));
        assertThat(zone(decide(NOON.plusSeconds(181)))).isEqualTo("a");
    }

    @Test
    void theZoneThatFailedLeastIsNext() {
        director("a", NOON, NOON.plusSeconds(60), NodeFact.NOT_READY_IN_TIME);
        assertThat(zone(decide(NOON.plusSeconds(120)))).isEqualTo("b");
    }

    @Test
    void failuresAreFollowedByGrowingPauses() {
        Instant at = NOON;
        long expected = 10;
        for (int failures = 1; failures <= 6; failures++) {
            director("a", at, at.plusSeconds(60), NodeFact.NOT_READY_IN_TIME);
            Instant ended = at.plusSeconds(60);
            int count = failures;
            long pause = expected;
            assertThat(decide(ended.plusSeconds(expected - 1)))
                    .isEqualTo(new Hold(new SiteCause.DirectorPaused(count, pause, NodeFact.NOT_READY_IN_TIME)));
            at = ended.plusSeconds(expected);
            assertThat(decide(at)).isInstanceOf(Buy.class);
            expected *= 2;
        }
    }

    @Test
    void oneThatServedEndsTheRow() {
        director("a", NOON, NOON.plusSeconds(60), NodeFact.NOT_READY_IN_TIME);
        nodes.add(DirectorScene.served(
                "s", id("a"), NOON.plusSeconds(100), NOON.plusSeconds(160), NOON.plusSeconds(900)));
        assertThat(zone(decide(NOON.plusSeconds(901)))).isEqualTo("a");
        assertThat(facts(NOON.plusSeconds(901)).trials().all()).isEmpty();
    }

    @Test
    void oneThatWentAgainAtOnceHasNotServed() {
        nodes.add(DirectorScene.served("s", id("a"), NOON, NOON.plusSeconds(60), NOON.plusSeconds(70)));
        assertThat(facts(NOON.plusSeconds(80)).trials().failures()).isEqualTo(1);
    }

    @Test
    void anOpenBreakerOfTheSiteBuysNone() {
        for (Breaker.Kind kind : Breaker.Kind.values()) {
            breakers = List.of(new Breakers.State(kind, "east", true, new BreakerSight.DirectorHeard(), NOON));
            assertThat(decide(NOON))
                    .isInstanceOfSatisfying(
                            Hold.class, hold -> assertThat(hold.why()).isInstanceOf(SiteCause.DirectorShut.class));
        }
        breakers = List.of(new Breakers.State(
                Breaker.Kind.POOL, id("a").toString(), true, new BreakerSight.DirectorHeard(), NOON));
        assertThat(zone(decide(NOON))).isEqualTo("b");
        breakers = List.of(
                new Breakers.State(Breaker.Kind.POOL, "west", true, new BreakerSight.DirectorHeard(), NOON),
                new Breakers.State(Breaker.Kind.POOL, "east", false, new BreakerSight.DirectorHeard(), NOON));
        assertThat(zone(decide(NOON))).isEqualTo("a");
    }

    @Test
    void theBreakerOfItsDirectorsClosesByHandByTimeAndByService() {
        director("a", NOON, NOON.plus(Duration.ofMinutes(119)), NodeFact.NOT_READY_IN_TIME);
        Instant later = NOON.plus(Duration.ofHours(3));
        assertThat(decide(later))
                .isInstanceOfSatisfying(
                        Hold.class, hold -> assertThat(hold.why()).isInstanceOf(SiteCause.DirectorTrialsSpent.class));
        Breakers.State open = DirectorDecision.breaker(facts(later)).orElseThrow();
        assertThat(open.open()).isTrue();
        assertThat(open.id()).isEqualTo("director:east");
        breakers = List.of(open);
        assertThat(DirectorDecision.breaker(facts(later))).isEmpty();

        Instant nextDay = NOON.plus(Duration.ofHours(25));
        assertThat(DirectorDecision.breaker(facts(nextDay)).orElseThrow().open())
                .isFalse();

        breakers = List.of(open.closedBy("ada", later));
        assertThat(decide(later)).isInstanceOf(Buy.class);

        breakers = List.of(open);
        nodes.add(DirectorScene.served("s", id("a"), NOON.plusSeconds(7200), NOON.plusSeconds(7300), later));
        assertThat(DirectorDecision.breaker(facts(later)).orElseThrow().open()).isFalse();
    }

    @Test
    void anotherTypeInTheConfigurationBeginsAnew() {
        nodes.add(DirectorScene.ended(
                "d",
                new OfferingId("east", "a", "other", Market.ON_DEMAND),
                NOON,
                NOON.plus(Duration.ofHours(10)),
                NodeFact.NOT_UP_IN_TIME));
        assertThat(decide(NOON.plus(Duration.ofHours(11)))).isInstanceOf(Buy.class);
    }

    /** Whatever goes wrong and when, directors that never serve cost no more than the trial budget in any 24 hours. */
    @Test
    void noScheduleOfFailuresBuysMoreThanTheTrialBudget() {
        for (long seed = 1; seed <= 100; seed++) {
            new Schedule(seed).run();
        }
    }

    private static final class Schedule {
        private final long seed;
        private final Random random;
        private final List<NodeRecord> nodes = new ArrayList<>();
        private final List<LaunchRecord> launches = new ArrayList<>();
        private final List<Offering> offerings = new ArrayList<>();
        private List<Breakers.State> breakers = List.of();
        private Instant now = NOON;

        Schedule(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            int zones = 1 + random.nextInt(4);
            for (int i = 0; i < zones; i++) {
                offerings.add(offering("z" + i, random.nextBoolean() ? "1" : "1.5"));
            }
        }

        private Facts facts() {
            return new Facts(
                    now,
                    DirectorScene.PLAN,
                    offerings,
                    OfferingHealth.fold(launches, now),
                    breakers,
                    DirectorTrials.of(nodes, DirectorScene.PLAN, Instant.MIN),
                    Map.of());
        }

        void run() {
            int bought = 0;
            Instant end = NOON.plus(Duration.ofDays(3));
            while (now.isBefore(end)) {
                Facts facts = facts();
                DirectorDecision.breaker(facts).ifPresent(state -> breakers = List.of(state));
                if (DirectorDecision.of(facts()) instanceof Buy(Offering offering)) {
                    bought++;
                    buy(offering);
                }
                check();
                now = now.plusSeconds(1 + random.nextInt(random.nextBoolean() ? 60 : 3600));
            }
            assertThat(bought).as("seed %d", seed).isGreaterThan(3);
        }

        private void buy(Offering offering) {
            if (random.nextInt(4) == 0) {
                launches.add(new LaunchRecord(
                        now, offering.id(), 1, new LaunchOutcome.Refused(LaunchOutcome.Reason.CAPACITY, "full")));
                nodes.add(DirectorScene.ended(
                        "d" + nodes.size(),
                        offering.id(),
                        now,
                        now,
                        new NodeCause.LaunchRefused(LaunchOutcome.Reason.CAPACITY, "full")));
                return;
            }
            NodeRecord coming = DirectorScene.coming("d" + nodes.size(), offering, now);
            Duration lives = Duration.ofSeconds(random.nextInt(3 * 600));
            Instant dies = now.plus(lives);
            List<NodeRecord> others = List.copyOf(nodes);
            nodes.add(coming);
            while (now.isBefore(dies) && !facts().isLost()) {
                now = now.plusSeconds(30);
            }
            nodes.clear();
            nodes.addAll(others);
            Cause why = random.nextInt(5) == 0 ? NodeFact.REMOVED_BY_HAND : NodeFact.NOT_UP_IN_TIME;
            nodes.add(coming.to(NodeState.TERMINATING, why, now).to(NodeState.TERMINATED, why, now));
        }

        private void check() {
            Facts facts = facts();
            // Prices are rounded up, and the end is looked at each half minute.
            Money most = facts.trialBudget().plus(Money.parse("0.03"));
            assertThat(facts.trials().spent(now).isMoreThan(most))
                    .as("seed %d at %s: %s of %s", seed, now, facts.trials().spent(now), most)
                    .isFalse();
        }
    }
}
