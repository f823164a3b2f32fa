package org.spillway.scaler.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Limits;
import org.spillway.policy.Limits.Scope;
import org.spillway.policy.Limits.Unit;
import org.spillway.policy.Money;
import org.spillway.policy.Planner;
import org.spillway.policy.Resources;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.scaler.simulate.log.LoggedJob;
import org.spillway.scaler.simulate.world.Scenario;
import org.spillway.scaler.simulate.world.SimulatedLimit;
import org.spillway.scaler.simulate.world.SimulatedLimit.Span;
import org.spillway.scaler.simulate.world.StandardScenario;

/** A log under the administrator's limits. */
class LimitedSimulationTest {
    private static final Instant START = Instant.parse("2026-03-02T00:00:00Z");
    private static final int GPUS = 8;

    private static LoggedJob job(int id, String user) {
        return new LoggedJob(
                "j" + id,
                START.plusSeconds(id),
                Duration.ofHours(1),
                1,
                Resources.of(GPUS * 6, 1L << 30, GPUS),
                Duration.ofHours(2),
                "q",
                user,
                "lab",
                0,
                null);
    }

    private static List<LoggedJob> jobs() {
        List<LoggedJob> jobs = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            jobs.add(job(i, "ada"));
        }
        return jobs;
    }

    /** The most that was used of each limit, as the policy saw it. */
    private static final class Watching implements ScalingPolicy<QueueDepthSettings> {
        private final QueueDepthPolicy policy = new QueueDepthPolicy();
        private final Map<String, Long> most = new HashMap<>();

        @Override
        public String name() {
            return "watching";
        }

        @Override
        public QueueDepthSettings defaults() {
            return policy.defaults();
        }

        @Override
        public List<Wish> decide(ClusterSnapshot now, QueueDepthSettings settings, Planner planner) {
            for (Limits.Limit limit : now.limits().scoped()) {
                most.merge(limit.scope() + " " + limit.name(), limit.used(), Math::max);
            }
            return policy.decide(now, settings, planner);
        }
    }

    private static SimulationResult run(Watching policy, SimulatedLimit... limits) {
        Scenario world = new Scenario(List.of(), StandardScenario.clouds(), List.of(limits));
        return new Simulation(
                        jobs(),
                        world,
                        SimulationSettings.DEFAULTS,
                        new PolicyChoice<>(policy.name(), policy, policy.defaults()))
                .run(ended -> {});
    }

    private static SimulatedLimit limit(Scope scope, String name, Unit unit, long most) {
        return new SimulatedLimit(scope, name, unit, most, Span.NOW);
    }

    @Test
    void withoutLimitsAllRunAtOnce() {
        SimulationResult result = run(new Watching());
        assertThat(result.finished()).isEqualTo(12);
        assertThat(result.waits().longest()).isLessThan(3600);
    }

    @Test
    void aUserHasNoMoreAtOnceThanHeMayAndWaits() {
        Watching policy = new Watching();
        SimulationResult result = run(policy, limit(Scope.USER, "ada", Unit.GPUS, 2 * GPUS));
        assertThat(result.finished()).isEqualTo(12);
        assertThat(policy.most).containsEntry("USER ada", 2L * GPUS);
        assertThat(result.waits().longest()).as("six rounds of an hour").isGreaterThan(5 * 3600);
    }

    @Test
    void eachUserByItselfAndAllTogether() {
        Watching policy = new Watching();
        SimulationResult result =
                run(policy, limit(Scope.USER, "*", Unit.NODES, 3), limit(Scope.ALL, "", Unit.NODES, 4));
        assertThat(result.finished()).isEqualTo(12);
        assertThat(policy.most).containsEntry("ALL ", 3L).containsEntry("USER ada", 3L);
    }

    @Test
    void launchesPerMinuteGoOnInTheNext() {
        SimulationResult result = run(
                new Watching(),
                limit(Scope.LAUNCHES_PER_MINUTE, "cloud-a", Unit.NODES, 1),
                limit(Scope.LAUNCHES_PER_MINUTE, "cloud-b", Unit.NODES, 1));
        assertThat(result.finished()).isEqualTo(12);
        assertThat(result.waits().longest())
                .as("six launches of each, a minute apart")
                .isGreaterThan(300);
    }

    /** Jobs go on on what was bought: with so much money there is not a node for each. */
    @Test
    void moneyOfADayBuysFewerNodes() {
        SimulatedLimit daily = new SimulatedLimit(
                Scope.ACCOUNT, "lab", Unit.MONEY_MICROS, Money.parse("40").micros(), Span.DAY);
        SimulationResult result = run(new Watching(), daily);
        assertThat(result.finished()).isEqualTo(12);
        assertThat(result.cloud().launched()).isBetween(1, 4);
        assertThat(result.waits().longest()).isGreaterThan(2 * 3600);
    }
}
