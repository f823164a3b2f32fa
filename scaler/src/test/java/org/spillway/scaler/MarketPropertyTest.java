package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.Resources;
import org.spillway.policy.Seeds;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.CostFirstPolicy;
import org.spillway.policy.builtin.CostFirstSettings;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.policy.builtin.SpotThenOnDemandPolicy;
import org.spillway.policy.builtin.SpotThenOnDemandSettings;
import org.spillway.policy.check.SnapshotGenerator;
import org.spillway.scaler.plan.FirstFitPlanner;
import org.spillway.scaler.plan.Guardrails;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Finding M6: whatever the policy, nothing of a market is bought or counted on for a demand that is without it. */
final class MarketPropertyTest {
    private static final int CASES = Seeds.some(3000);

    /** Half of the demands are without spot, and what sells or serves says in what market. */
    private static ClusterSnapshot drawn(long seed) {
        Random random = new Random(seed);
        ClusterSnapshot now = new SnapshotGenerator(seed).snapshot();
        return now.with(draft -> {
            draft.demands = now.demands().stream()
                    .map(demand -> random.nextBoolean() ? demand : without(demand))
                    .toList();
            draft.offerings =
                    now.offerings().stream().map(MarketPropertyTest::marked).toList();
        });
    }

    private static Demand without(Demand demand) {
        Set<String> features = new HashSet<>(demand.features());
        features.addAll(Market.features(Market.STEADY));
        return demand.with(draft -> draft.features = features);
    }

    private static Offering marked(Offering one) {
        Set<String> features = new HashSet<>(one.features());
        features.addAll(one.id().market().features());
        return Offering.of(one.id(), one.resources(), one.pricePerHour()).withFeatures(features);
    }

    private static List<List<Wish>> answers(ClusterSnapshot now) {
        Planner planner = new FirstFitPlanner(now);
        return List.of(
                new QueueDepthPolicy().decide(now, QueueDepthSettings.DEFAULTS, planner),
                new CostFirstPolicy().decide(now, CostFirstSettings.DEFAULTS, planner),
                new SpotThenOnDemandPolicy().decide(now, SpotThenOnDemandSettings.DEFAULTS, planner),
                bad(now));
    }

    /** A policy that asks for everything for everybody, the cheapest first. */
    private static List<Wish> bad(ClusterSnapshot now) {
        List<OfferingId> all = now.offerings().stream().map(Offering::id).toList();
        return now.demands().stream()
                .<Wish>map(demand -> new Wish.Provision(List.of(demand.shape()), all, 2, "why not"))
                .toList();
    }

    @Test
    void noPlanBuysWhatADemandMayNotUse() {
        int bought = 0;
        for (long seed : Seeds.of("markets of plans", CASES)) {
            ClusterSnapshot now = drawn(seed);
            Map<String, Demand> demands = new HashMap<>();
            now.demands().forEach(demand -> demands.put(demand.shape(), demand));
            for (List<Wish> wishes : answers(now)) {
                Plan plan = new Guardrails(ZoneOffset.UTC).plan(now, "drawn", wishes, Map.of());
                for (Step step : plan.steps()) {
                    if (step instanceof Step.Launch launch) {
                        bought++;
                        assertThat(launch.shapes())
                                .as("seed %d: %s", seed, launch)
                                .noneMatch(shape -> demands.get(shape)
                                        .features()
                                        .contains(launch.offering().market().without()));
                    }
                }
            }
        }
        assertThat(bought).isPositive();
    }

    /** Also of nodes whose offering nobody sells any more. */
    @Test
    void nodesAreRoomForWhomTheirMarketAllows() {
        for (long seed : Seeds.of("markets of nodes that exist", CASES)) {
            ClusterSnapshot now = drawn(seed);
            for (Demand demand : now.demands()) {
                Demand plain = demand.with(draft -> draft.features =
                        demand.features().contains(Market.SPOT.without()) ? Market.features(Market.STEADY) : Set.of());
                Planner.Packing packing = new FirstFitPlanner(List.of()).pack(List.of(plain), now.nodes(), List.of());
                assertThat(now.nodes())
                        .as("seed %d: %s", seed, plain)
                        .filteredOn(node -> packing.nodesUsed().contains(node.id()))
                        .noneMatch(node -> isForbidden(plain, node));
            }
        }
    }

    @Test
    void aDemandThatNothingMayServeHearsWhy() {
        OfferingId spot = new OfferingId("east", "a", "std", Market.SPOT);
        Offering offering = Offering.of(spot, Resources.of(8, 1L << 30, 0), new Money(1));
        Demand demand = Demand.of(draft -> {
            draft.perNode = Resources.of(1, 1, 0);
            draft.sites = List.of("east");
            draft.features = Market.features(Market.STEADY);
        });
        Planner.Packing packing =
                new FirstFitPlanner(List.of(offering)).pack(List.of(demand), List.of(), List.of(offering));
        assertThat(packing.unplaced())
                .containsEntry("shape", "site east sells this in markets alone that it may not use: spot");
        assertThat(packing.bought()).isEmpty();
    }

    private static boolean isForbidden(Demand demand, NodeView node) {
        OfferingId offering = node.offering();
        return offering != null && demand.features().contains(offering.market().without());
    }
}
