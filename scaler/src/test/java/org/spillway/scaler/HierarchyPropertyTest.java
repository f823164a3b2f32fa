package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Seeds;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.policy.check.SnapshotGenerator;
import org.spillway.scaler.plan.Bound;
import org.spillway.scaler.plan.FirstFitPlanner;
import org.spillway.scaler.plan.LicenceCut;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Plans over random clusters with limits of every scope, shares, licences and terms. */
class HierarchyPropertyTest {
    private static final int CASES = Seeds.some(10_000);

    @Test
    void neverOverAnyLimitAndNeverDependentOnTheOrderOfItsInput() {
        Map<Limits.Scope, Integer> bound = new HashMap<>();
        int launches = 0;
        for (long seed : Seeds.of("hierarchy", CASES)) {
            ClusterSnapshot now = new SnapshotGenerator(seed).whole();
            Plan plan = plan(now);
            try {
                withinSiteAndBudget(now, plan);
                now.limits().scoped().forEach(limit -> within(limit, now, plan));
                licencesSuffice(now, plan);
                gangsAreBoughtAlone(now, plan);
                assertThat(plan(shuffled(now, new Random(seed))))
                        .as("in another order")
                        .isEqualTo(plan);
            } catch (AssertionError failure) {
                throw new AssertionError(
                        "seed " + seed + ": " + failure.getMessage() + "\n" + now + "\n" + plan, failure);
            }
            launches += launches(plan).size();
            for (Limits.Limit limit : now.limits().scoped()) {
                if (plan.steps().stream()
                        .anyMatch(step -> step instanceof Step.Hold hold
                                && (hold.by() == Bound.Kind.LIMIT || hold.by() == Bound.Kind.LICENCE)
                                && hold.name().equals(name(limit)))) {
                    bound.merge(limit.scope(), 1, Integer::sum);
                }
            }
        }
        if (System.getProperty("spillway.seed") == null && System.getenv("SPILLWAY_SEED") == null) {
            assertThat(launches).as("launches").isGreaterThan(CASES / 4);
            assertThat(bound.keySet()).as("scopes that bound").containsExactlyInAnyOrder(Limits.Scope.values());
        }
    }

    private static String name(Limits.Limit limit) {
        return limit.scope() == Limits.Scope.LICENCE ? limit.name() : limit.scope() + " " + limit.name();
    }

    private static void withinSiteAndBudget(ClusterSnapshot now, Plan plan) {
        Map<String, Integer> nodes =
                now.nodes().stream().collect(Collectors.toMap(NodeView::site, node -> 1, Integer::sum));
        long committed = 0;
        for (Step.Launch launch : launches(plan)) {
            String site = launch.offering().site();
            committed += launch.committed().micros();
            assertThat(nodes.merge(site, launch.count(), Integer::sum))
                    .isLessThanOrEqualTo(now.limits().maxNodesBySite().get(site));
        }
        assertThat(committed)
                .isLessThanOrEqualTo(Math.max(0, now.limits().budgetLeft().micros()));
    }

    /** Reckoned anew, from the steps alone. */
    private static void within(Limits.Limit limit, ClusterSnapshot now, Plan plan) {
        Map<OfferingId, Offering> offerings =
                now.offerings().stream().collect(Collectors.toMap(Offering::id, Function.identity(), (a, b) -> a));
        Map<String, Demand> demands = now.demands().stream().collect(Collectors.toMap(Demand::shape, one -> one));
        long taken = 0;
        for (Step.Launch launch : launches(plan)) {
            Offering offering = offerings.get(launch.offering());
            List<Demand> holders = launch.shapes().stream().map(demands::get).toList();
            boolean applies = switch (limit.scope()) {
                case QUOTA_FAMILY ->
                    !offering.quotaFamily().isEmpty()
                            && limit.name().equals(launch.offering().site() + "/" + offering.quotaFamily());
                case SITE, LAUNCHES_PER_MINUTE ->
                    limit.name().equals(launch.offering().site());
                case QUEUE -> holders.stream().anyMatch(one -> one.queue().equals(limit.name()));
                case USER ->
                    named(limit)
                            && holders.stream()
                                    .anyMatch(one -> one.terms().user().equals(limit.name()));
                case ACCOUNT ->
                    named(limit)
                            && holders.stream()
                                    .anyMatch(one -> one.terms().account().equals(limit.name()));
                case ALL -> true;
                case LICENCE -> false;
            };
            if (applies) {
                taken += switch (limit.unit()) {
                    case NODES -> launch.count();
                    case CPUS -> (long) launch.count() * offering.resources().cpus();
                    case GPUS -> (long) launch.count() * offering.resources().gpus();
                    case LICENCES -> 0;
                    case MONEY_MICROS -> launch.committed().micros();
                };
            }
        }
        assertThat(taken).as("%s", limit).isLessThanOrEqualTo(limit.left());
    }

    /** No name is nobody's: such a limit is about no one. */
    private static boolean named(Limits.Limit limit) {
        return !limit.name().isEmpty();
    }

    private static void licencesSuffice(ClusterSnapshot now, Plan plan) {
        LicenceCut cut = LicenceCut.of(now, new FirstFitPlanner(now).byImportance(now));
        long most = now.limits().scoped().stream()
                .filter(limit -> limit.scope() == Limits.Scope.LICENCE)
                .mapToLong(Limits.Limit::left)
                .min()
                .orElse(Long.MAX_VALUE);
        long taken = cut.now().demands().stream()
                .mapToLong(one -> (long) one.jobs() * one.terms().licences().getOrDefault("solver", 0))
                .sum();
        assertThat(taken).as("licences dealt out").isLessThanOrEqualTo(most);
        Map<String, Demand> licensed = cut.now().demands().stream().collect(Collectors.toMap(Demand::shape, d -> d));
        Map<List<String>, Integer> bought = new HashMap<>();
        for (Step.Launch launch : launches(plan)) {
            assertThat(licensed.keySet()).as("shapes with a licence").containsAll(launch.shapes());
            bought.merge(launch.shapes(), launch.count(), Integer::sum);
        }
        bought.forEach((shapes, count) -> assertThat((long) count)
                .as("nodes for %s", shapes)
                .isLessThanOrEqualTo(shapes.stream()
                        .map(licensed::get)
                        .mapToLong(one -> (long) one.jobs() * one.nodes())
                        .sum()));
    }

    /** A gang whose nodes cannot all be had takes nobody with it, and is never bought one node of that has no others. */
    private static void gangsAreBoughtAlone(ClusterSnapshot now, Plan plan) {
        Map<String, Demand> demands = now.demands().stream().collect(Collectors.toMap(Demand::shape, one -> one));
        Map<String, Integer> bought = new HashMap<>();
        for (Step.Launch launch : launches(plan)) {
            boolean gang = launch.shapes().stream()
                    .anyMatch(shape -> demands.get(shape).nodes() > 1);
            if (gang) {
                assertThat(launch.shapes()).hasSize(1);
                bought.merge(
                        launch.shapes().getFirst() + "@" + launch.offering().site(), launch.count(), Integer::sum);
            }
        }
        bought.forEach((key, count) -> {
            Demand gang = demands.get(key.substring(0, key.indexOf('@')));
            String site = key.substring(key.indexOf('@') + 1);
            long partners = now.nodes().stream()
                    .filter(node -> node.site().equals(site))
                    .count();
            assertThat(count + partners).as("nodes for the gang %s", key).isGreaterThanOrEqualTo(gang.nodes());
        });
    }

    private static List<Step.Launch> launches(Plan plan) {
        return plan.steps().stream()
                .filter(Step.Launch.class::isInstance)
                .map(Step.Launch.class::cast)
                .toList();
    }

    private static Plan plan(ClusterSnapshot now) {
        return Scene.plan(now, new QueueDepthPolicy(), QueueDepthSettings.DEFAULTS);
    }

    private static ClusterSnapshot shuffled(ClusterSnapshot now, Random random) {
        return ClusterSnapshot.of(draft -> {
            draft.schema = now.schema();
            draft.now = now.now();
            draft.demands = shuffled(now.demands(), random);
            draft.nodes = shuffled(now.nodes(), random);
            draft.offerings = shuffled(now.offerings(), random);
            draft.statuses = shuffled(now.statuses(), random);
            draft.limits = new Limits(
                    now.limits().maxNodesBySite(),
                    now.limits().budgetLeft(),
                    shuffled(now.limits().scoped(), random));
            draft.windows = now.windows();
            draft.shares = shuffled(now.shares(), random);
            draft.breakers = now.breakers();
        });
    }

    private static <T> List<T> shuffled(List<T> list, Random random) {
        List<T> copy = new ArrayList<>(list);
        Collections.shuffle(copy, random);
        return copy;
    }
}
