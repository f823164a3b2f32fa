package org.spillway.head.loop.supply;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.PlaceCause.PlaceFact;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.loop.Samples;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.loop.state.Capping;
import org.spillway.head.loop.waits.Finder;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.scaler.plan.Bound;
import org.spillway.scaler.plan.Step;

/** A plan was made of the cluster as it was; its steps are taken in the cluster as it is. An hour of a node costs 3.60. */
final class PlanStepsTest {
    private static final OfferingId SMALL = Samples.SMALL.id();
    private static final JobRecord ONE = Samples.queued("1", 1);
    private static final JobRecord GANG = Samples.queued("2", 2);
    private static final Map<String, List<JobRecord>> JOBS = Map.of("one", List.of(ONE), "gang", List.of(GANG));

    /** A cluster in which everything is permitted, until a test says otherwise. */
    private static final class Ground implements PlanGround {
        private Money left = Money.parse("100");
        private Cause obstacle = Cause.NONE;
        private int slots = 10;
        private Capping.Room room = new Capping.Room(Long.MAX_VALUE, Cause.NONE);
        private final List<Offering> offerings = new ArrayList<>(List.of(Samples.SMALL));
        private final Map<String, NodeRecord> nodes = new TreeMap<>();
        private final Set<String> free = new HashSet<>();
        private final Map<String, Cause> quotas = new TreeMap<>();
        private final Map<OfferingId, Integer> slotsOf = new HashMap<>();
        private final List<Purchase> bought = new ArrayList<>();
        private int purchases;

        @Override
        public Optional<Cause> quota(String bound) {
            return Optional.ofNullable(quotas.get(bound));
        }

        Ground with(NodeRecord node) {
            nodes.put(node.id(), node);
            free.add(node.id());
            return this;
        }

        @Override
        public Roles roles() {
            return Roles.NONE;
        }

        @Override
        public Instant periodStart() {
            return Samples.NOW.minus(Duration.ofDays(1));
        }

        @Override
        public Money budgetLeft() {
            return left;
        }

        @Override
        public Optional<NodeRecord> node(String id) {
            return Optional.ofNullable(nodes.get(id));
        }

        @Override
        public boolean isFree(NodeRecord node) {
            return node.nodeState() == NodeState.READY && free.contains(node.id());
        }

        @Override
        public boolean stops(NodeRecord node) {
            return true;
        }

        @Override
        public Optional<Offering> offering(OfferingId id) {
            return offerings.stream().filter(one -> one.id().equals(id)).findFirst();
        }

        @Override
        public Cause siteObstacle(String site) {
            return obstacle;
        }

        @Override
        public int slots(Offering offering) {
            return slotsOf.getOrDefault(offering.id(), slots);
        }

        @Override
        public String manager() {
            return "manager";
        }

        @Override
        public Duration reservation(String site, Duration walltime) {
            return walltime;
        }

        @Override
        public Holders holders(Collection<JobRecord> jobs) {
            return Holders.of(jobs);
        }

        @Override
        public Capping.Room room(Holders holders, Offering offering, Money each, Collection<NodeRecord> planned) {
            return room;
        }

        @Override
        public List<Entry> purchase(Purchase purchase) {
            purchases++;
            bought.add(purchase);
            List<Entry> nodes = new ArrayList<>();
            for (int i = 0; i < purchase.count(); i++) {
                nodes.add(Samples.node("new-" + purchases + "-" + i, NodeState.REQUESTED));
            }
            return nodes;
        }
    }

    private static PlanOutcome take(Ground ground, Step... steps) {
        return PlanSteps.of(List.of(steps), JOBS, ground, Samples.NOW);
    }

    private static Step.Launch launch(int count, String shape) {
        return new Step.Launch(SMALL, count, List.of(shape), Money.ZERO, "jobs wait", null, Step.Behind.NOTHING);
    }

    private static List<String> nodes(PlanOutcome outcome) {
        return outcome.entries().stream()
                .filter(NodeRecord.class::isInstance)
                .map(NodeRecord.class::cast)
                .map(node -> node.id() + " " + node.nodeState())
                .toList();
    }

    private static WaitFinding found(JobRecord job, Finder finder, Cause cause) {
        return new WaitFinding(job.id(), finder, cause);
    }

    @Test
    void aLaunchIsBoughtAndItsJobsAreTold() {
        PlanOutcome outcome = take(new Ground(), launch(2, "gang"));
        assertThat(nodes(outcome)).containsExactly("new-1-0 REQUESTED", "new-1-1 REQUESTED");
        assertThat(outcome.found())
                .containsExactly(found(GANG, Finder.SUPPLY, new WaitCause.NodeOnTheWay("small", "a")));
        assertThat(outcome.drains()).isEmpty();
    }

    /** At 3.60 an hour the decided one, whose jobs have an hour. */
    private static Offering sold(String type, String price) {
        return Offering.of(
                new OfferingId("east", "a", type, SMALL.market()), Samples.SMALL.resources(), Money.parse(price));
    }

    private static Step.Launch ranked(Offering... behind) {
        return launch(1, "one")
                .with(new Step.Behind(Stream.of(behind).map(Offering::id).toList(), Money.ZERO));
    }

    @Test
    void whatStandsBehindAnOfferingIsBoughtWithItAsFarAsThereIsMoney() {
        Ground ground = new Ground();
        Offering dear = sold("dear", "8");
        Offering dearest = sold("dearest", "200");
        Offering gone = sold("gone", "1");
        ground.offerings.addAll(List.of(dear, dearest));
        PlanOutcome outcome = take(ground, ranked(dearest, gone, dear));
        assertThat(ground.bought)
                .singleElement()
                .satisfies(one -> assertThat(one.behind()).containsExactly(dear));
        assertThat(outcome.notes()).singleElement().asString().contains(SMALL + " or else " + dear.id());
    }

    @Test
    void theDearestOfASetIsReserved() {
        Ground ground = new Ground();
        Offering dear = sold("dear", "8");
        ground.offerings.add(dear);
        ground.left = Money.parse("11");
        PlanOutcome outcome = take(ground, ranked(dear), launch(1, "gang"));
        assertThat(nodes(outcome)).containsExactly("new-1-0 REQUESTED");
        assertThat(outcome.found())
                .contains(found(
                        GANG,
                        Finder.SHORTAGE,
                        new WaitCause.Budget(Money.parse("3"), Money.parse("3.6"), WaitCause.Purpose.NODE)));
    }

    @Test
    void noneBehindThatTheManagerHasNoPlaceFor() {
        Ground ground = new Ground();
        Offering other = sold("other", "1");
        ground.offerings.add(other);
        ground.slotsOf.put(other.id(), 0);
        take(ground, ranked(other));
        assertThat(ground.bought)
                .singleElement()
                .satisfies(one -> assertThat(one.behind()).isEmpty());
    }

    @Test
    void anOfferingThatIsNotSoldAnyMoreIsNotBought() {
        Ground ground = new Ground();
        ground.offerings.clear();
        PlanOutcome outcome = take(ground, launch(1, "one"));
        assertThat(outcome.entries()).isEmpty();
        assertThat(outcome.notes()).singleElement().asString().contains("not offered any more");
    }

    @Test
    void aSiteThatCannotBeUsedSaysWhy() {
        Ground ground = new Ground();
        ground.obstacle = PlaceFact.INPUT_STUCK;
        assertThat(take(ground, launch(1, "one")))
                .isEqualTo(new PlanOutcome(
                        List.of(), List.of(), List.of(found(ONE, Finder.SHORTAGE, PlaceFact.INPUT_STUCK)), List.of()));
    }

    @Test
    void whatThePlanItselfLaunchesTakesSlotsToo() {
        Ground ground = new Ground();
        ground.slots = 2;
        PlanOutcome outcome = take(ground, launch(2, "gang"), launch(1, "one"));
        assertThat(nodes(outcome)).hasSize(2);
        assertThat(outcome.found())
                .contains(found(ONE, Finder.SHORTAGE, new WaitCause.NoSlots("manager", "small", "east")));
    }

    @Test
    void eachStepTakesOfTheSameBudget() {
        Ground ground = new Ground();
        ground.left = Money.parse("7.20");
        PlanOutcome outcome = take(ground, launch(2, "gang"), launch(1, "one"));
        assertThat(nodes(outcome)).hasSize(2);
        assertThat(outcome.found())
                .contains(found(
                        ONE,
                        Finder.SHORTAGE,
                        new WaitCause.Budget(Money.ZERO, Money.parse("3.60"), WaitCause.Purpose.NODE)));
    }

    @Test
    void aLimitPermitsWholeGangsOnly() {
        Ground ground = new Ground();
        Cause limit = new WaitCause.ArrayLimit(3);
        ground.room = new Capping.Room(3, limit);
        assertThat(nodes(take(ground, launch(4, "gang")))).hasSize(2);
        ground.room = new Capping.Room(1, limit);
        PlanOutcome none = take(ground, launch(4, "gang"));
        assertThat(none.entries()).isEmpty();
        assertThat(none.found()).containsExactly(found(GANG, Finder.SHORTAGE, limit));
    }

    @Test
    void aNodeIsReleasedOnlyWhileNothingRunsThere() {
        Ground ground = new Ground()
                .with(Samples.node("free", NodeState.READY))
                .with(Samples.node("busy", NodeState.READY))
                .with(Samples.node("off", NodeState.STOPPED));
        ground.free.remove("busy");
        PlanOutcome outcome = take(
                ground,
                new Step.Release("free", "idle"),
                new Step.Release("busy", "idle"),
                new Step.Release("off", "idle"),
                new Step.Release("gone", "idle"));
        assertThat(nodes(outcome)).containsExactly("free DRAINING", "off TERMINATING");
        assertThat(outcome.drains()).containsExactly(new PlanOutcome.Drain("free", "idle"));
    }

    @Test
    void aNodeIsPoweredOffWhenFreeAndOnWhenPaid() {
        Ground ground =
                new Ground().with(Samples.node("free", NodeState.READY)).with(Samples.node("off", NodeState.STOPPED));
        Step on = new Step.Power("off", true, List.of("one"), Money.ZERO, "jobs wait");
        PlanOutcome outcome = take(ground, new Step.Power("free", false, List.of(), Money.ZERO, "idle"), on);
        assertThat(nodes(outcome)).containsExactly("free DRAINING", "free STOPPING", "off BOOTING");
        assertThat(outcome.found()).containsExactly(found(ONE, Finder.SUPPLY, new WaitCause.NodePoweredOn("off")));
        ground.left = Money.ZERO.minus(new Money(1));
        assertThat(take(ground, on).found())
                .singleElement()
                .extracting(WaitFinding::finder)
                .isEqualTo(Finder.SHORTAGE);
    }

    @Test
    void aNodeBecomesOneThingInAPlan() {
        Ground ground = new Ground().with(Samples.node("n", NodeState.READY));
        PlanOutcome outcome = take(
                ground,
                new Step.Repurpose("n", "gpu", List.of("one"), Money.ZERO, "jobs wait"),
                new Step.Repurpose("n", "cpu", List.of("gang"), Money.ZERO, "jobs wait"),
                new Step.Overlay("n", "tools", true, "wished"));
        assertThat(nodes(outcome)).containsExactly("n REPURPOSING");
        assertThat(outcome.drains()).hasSize(1);
        assertThat(outcome.found()).containsExactly(found(ONE, Finder.SUPPLY, new WaitCause.NodeRepurposed("n")));
    }

    @Test
    void aHoldIsToldToJobsOfItsShape() {
        PlanOutcome outcome = take(
                new Ground(),
                new Step.Hold("one", "no quota", Bound.Kind.LIMIT, "USER ada"),
                new Step.Hold("", "refused", Bound.Kind.WISH, ""));
        assertThat(outcome.found())
                .containsExactly(
                        found(ONE, Finder.PLAN, new WaitCause.PlanHolds("no quota", Bound.Kind.LIMIT, "USER ada")));
    }

    /** Not the limit by which a plan knows it, but the provider's quota with how to raise it. */
    @Test
    void aHoldForAProvidersQuotaNamesThat() {
        Cause full = new WaitCause.QuotaFull("east", "L-1", "vCPUs", Limits.Unit.CPUS, 96, 96, "ask");
        Ground ground = new Ground();
        ground.quotas.put("QUOTA_FAMILY east/G", full);
        assertThat(take(ground, new Step.Hold("one", "limit", Bound.Kind.LIMIT, "QUOTA_FAMILY east/G"))
                        .found())
                .containsExactly(found(ONE, Finder.PLAN, full));
    }

    @Test
    void aDryRunDoesNothing() {
        Ground ground = new Ground().with(Samples.node("n", NodeState.READY));
        PlanOutcome outcome =
                PlanSteps.dry(List.of(launch(1, "one"), new Step.Release("n", "idle")), JOBS, ground, Samples.NOW);
        assertThat(outcome.entries()).isEmpty();
        assertThat(outcome.drains()).isEmpty();
        assertThat(ground.purchases).isZero();
        assertThat(outcome.notes()).containsExactly("launch 1 east/a/small/ON_DEMAND [one]", "release n");
        assertThat(outcome.found())
                .containsExactly(found(
                        ONE, Finder.SUPPLY, new WaitCause.DryRun("1 x east/a/small/ON_DEMAND would be launched")));
    }
}
