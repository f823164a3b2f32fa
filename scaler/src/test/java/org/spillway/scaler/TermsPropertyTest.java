package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.RunCost;
import org.spillway.policy.Seeds;
import org.spillway.policy.check.SnapshotGenerator;
import org.spillway.scaler.plan.FirstFitPlanner;

/** Importance, cost of a run and expected starts over random clusters. */
class TermsPropertyTest {
    private static final int CASES = Seeds.some(10_000);

    @Test
    void importanceIsPriorityThenShareThenAge() {
        int shared = 0;
        for (long seed : Seeds.of("importance", CASES)) {
            ClusterSnapshot now = new SnapshotGenerator(seed).whole();
            FirstFitPlanner planner = new FirstFitPlanner(now);
            List<Demand> order = planner.byImportance(now);
            assertThat(order).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(now.demands());
            for (int i = 1; i < order.size(); i++) {
                Demand before = order.get(i - 1);
                Demand after = order.get(i);
                assertThat(before.terms().priority())
                        .as("seed %d: %s before %s", seed, before, after)
                        .isGreaterThanOrEqualTo(after.terms().priority());
                boolean sameTaker = before.terms().priority() == after.terms().priority()
                        && before.queue().equals(after.queue())
                        && before.terms().account().equals(after.terms().account());
                if (sameTaker
                        || (now.shares().isEmpty()
                                && before.terms().priority() == after.terms().priority())) {
                    assertThat(before.oldestSubmit()).as("seed %d", seed).isBeforeOrEqualTo(after.oldestSubmit());
                }
            }
            shared += firstOfThoseWithLeast(seed, now, order);
            assertThat(planner.byImportance(reversed(now))).as("seed %d", seed).isEqualTo(order);
        }
        if (System.getProperty("spillway.seed") == null && System.getenv("SPILLWAY_SEED") == null) {
            assertThat(shared).as("cases that shares decided").isGreaterThan(CASES / 50);
        }
    }

    /** The very first is of one that has had the least for its weight. @return 1 when several could have been it */
    private static int firstOfThoseWithLeast(long seed, ClusterSnapshot now, List<Demand> order) {
        if (now.shares().isEmpty() || order.isEmpty()) {
            return 0;
        }
        Map<String, Double> had = new HashMap<>();
        now.shares().forEach(share -> had.put(share.name(), share.used() / share.weight()));
        long top = order.getFirst().terms().priority();
        List<Double> all = order.stream()
                .filter(one -> one.terms().priority() == top)
                .map(one -> had.getOrDefault(one.terms().account(), 0.0))
                .toList();
        assertThat(all.getFirst()).as("seed %d", seed).isEqualTo(Collections.min(all));
        return all.stream().distinct().count() > 1 ? 1 : 0;
    }

    @Test
    void aRunCostsMoreTheLongerTheDearerTheLessSafe() {
        for (long seed : Seeds.of("cost of a run", CASES)) {
            ClusterSnapshot now = new SnapshotGenerator(seed).whole();
            Random random = new Random(seed);
            for (Demand demand : now.demands()) {
                for (Offering offering : now.offerings()) {
                    double rate = random.nextInt(5) / 10.0;
                    OfferingStatus status = status(offering, rate);
                    RunCost cost = RunCost.of(demand, offering, status);
                    String what = "seed " + seed + ": " + demand + " on " + offering.id();
                    assertThat(cost.total().micros())
                            .as(what)
                            .isEqualTo(cost.compute()
                                    .plus(cost.transfer())
                                    .plus(cost.risk())
                                    .micros());
                    assertThat(cost.risk().micros() == 0 || rate > 0).as(what).isTrue();
                    assertThat(cost.untilEnd()).as(what).isGreaterThanOrEqualTo(cost.untilStart());
                    assertThat(cost.untilStart()).as(what).isGreaterThanOrEqualTo(status.bootEstimate());
                    RunCost riskier = RunCost.of(demand, offering, status(offering, rate + 0.1));
                    assertThat(riskier.total().micros())
                            .as(what)
                            .isGreaterThanOrEqualTo(cost.total().micros());
                    RunCost longer = RunCost.of(expecting(demand, Duration.ofMinutes(30)), offering, status);
                    assertThat(longer.total().micros())
                            .as(what)
                            .isGreaterThanOrEqualTo(cost.total().micros());
                    assertThat(longer.untilEnd()).as(what).isGreaterThan(cost.untilEnd());
                    Offering dearer = Offering.of(
                                    offering.id(),
                                    offering.resources(),
                                    offering.pricePerHour().plus(new Money(100_000)))
                            .withFeatures(offering.features());
                    assertThat(RunCost.of(demand, dearer, status).total().micros())
                            .as(what)
                            .isGreaterThanOrEqualTo(cost.total().micros());
                }
            }
        }
    }

    @Test
    void nothingStartsBeforeNowOrOnNodesThatCannotHoldIt() {
        int started = 0;
        for (long seed : Seeds.of("expected starts", CASES)) {
            ClusterSnapshot now = new SnapshotGenerator(seed).whole();
            FirstFitPlanner planner = new FirstFitPlanner(now);
            List<Demand> order = planner.byImportance(now);
            Map<String, Instant> starts = planner.expectedStarts(order, now.nodes(), now.now());
            List<NodeView> other = new ArrayList<>(now.nodes());
            Collections.shuffle(other, new Random(seed));
            assertThat(planner.expectedStarts(order, other, now.now()))
                    .as("seed %d, nodes in another order", seed)
                    .isEqualTo(starts);
            for (Demand demand : now.demands()) {
                Instant start = starts.get(demand.shape());
                long large = now.nodes().stream()
                        .filter(node -> node.phase() != NodeView.Phase.DRAINING
                                && node.phase() != NodeView.Phase.STOPPED
                                && demand.sites().contains(node.site())
                                && demand.perNode().fitsIn(node.total()))
                        .count();
                if (start == null) {
                    continue;
                }
                started++;
                assertThat(start).as("seed %d: %s", seed, demand).isAfterOrEqualTo(now.now());
                assertThat(large).as("seed %d: nodes for %s", seed, demand).isGreaterThanOrEqualTo(demand.nodes());
            }
            assertThat(planner.expectedStarts(order, List.of(), now.now()))
                    .as("seed %d", seed)
                    .isEmpty();
        }
        assertThat(started).as("starts").isPositive();
    }

    private static OfferingStatus status(Offering offering, double reclaimsPerHour) {
        return new OfferingStatus(offering.id(), null, 1, Duration.ofSeconds(60), "", reclaimsPerHour);
    }

    private static Demand expecting(Demand demand, Duration more) {
        Demand.Terms terms = demand.terms();
        return demand.with(draft -> draft.terms = new Demand.Terms(
                terms.account(),
                terms.user(),
                terms.priority(),
                terms.licences(),
                terms.deadline(),
                terms.expected().plus(more),
                terms.transferPrice()));
    }

    private static ClusterSnapshot reversed(ClusterSnapshot now) {
        return now.with(draft -> {
            draft.demands = now.demands().reversed();
            draft.nodes = now.nodes().reversed();
            draft.shares = now.shares().reversed();
        });
    }
}
