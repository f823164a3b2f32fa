package org.spillway.scaler.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Money;
import org.spillway.policy.Planner;
import org.spillway.policy.Resources;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.AgePolicy;
import org.spillway.policy.builtin.AgeSettings;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.scaler.simulate.log.LoggedJob;
import org.spillway.scaler.simulate.log.NodeGroup;
import org.spillway.scaler.simulate.world.Scenario;
import org.spillway.scaler.simulate.world.StandardScenario;

class SimulationTest {
    private static final Instant START = Instant.parse("2026-03-02T00:00:00Z");
    private static final Scenario WORLD =
            new Scenario(List.of(new NodeGroup("node", 4, Resources.of(64, 512L << 30, 8))), StandardScenario.clouds());
    private static final PolicyChoice<?> QUEUE_DEPTH = usual(new QueueDepthPolicy());

    private static <S extends Record> PolicyChoice<S> usual(ScalingPolicy<S> policy) {
        return new PolicyChoice<>(policy.name(), policy, policy.defaults());
    }

    private static SimulationSettings seeded(long seed) {
        SimulationSettings usual = SimulationSettings.DEFAULTS;
        return new SimulationSettings(
                seed,
                usual.tick(),
                usual.defaultLimit(),
                usual.shutdown(),
                usual.monthlyBudget(),
                usual.everyTick(),
                usual.samples());
    }

    private static LoggedJob job(int id, long atSeconds, long seconds, int nodes, int gpus) {
        return new LoggedJob(
                "j" + id,
                START.plusSeconds(atSeconds),
                Duration.ofSeconds(seconds),
                nodes,
                Resources.of(gpus * 6, gpus * (48L << 30), gpus),
                null,
                "q" + id % 3,
                "",
                "",
                0,
                null);
    }

    @Test
    void aLogOfOneSecondWithJobsOfWeeksHasAsManySamplesAsAnyOther() {
        List<LoggedJob> jobs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            jobs.add(job(i, i % 2, 40 * 86_400L, 1, 8));
        }
        SimulationResult result = new Simulation(jobs, WORLD, SimulationSettings.DEFAULTS, QUEUE_DEPTH).run(done -> {});
        List<SimulationResult.Sample> samples = result.samples();
        int most = SimulationSettings.DEFAULTS.samples();
        assertThat(samples).hasSizeBetween(most / 2, 2 * most + 1);
        long step = samples.get(1).at().toEpochMilli() - samples.get(0).at().toEpochMilli();
        for (int i = 1; i < samples.size(); i++) {
            assertThat(samples.get(i).at()).isEqualTo(samples.get(0).at().plusMillis(i * step));
        }
        assertThat(samples.getLast().at()).isAfter(START.plus(Duration.ofDays(30)));
        assertThat(new Simulation(jobs, WORLD, SimulationSettings.DEFAULTS, QUEUE_DEPTH)
                        .run(done -> {})
                        .samples())
                .isEqualTo(samples);
    }

    private static List<LoggedJob> jobs(long seed, int count) {
        var random = new SplittableRandom(seed);
        List<LoggedJob> jobs = new ArrayList<>();
        long at = 0;
        for (int i = 0; i < count; i++) {
            at += random.nextInt(900);
            int nodes = random.nextInt(12) == 0 ? 2 + random.nextInt(3) : 1;
            jobs.add(job(i, at, 30 + random.nextInt(20_000), nodes, nodes > 1 ? 8 : 1 << random.nextInt(4)));
        }
        return jobs;
    }

    private static SimulationResult run(List<LoggedJob> jobs, SimulationSettings settings, PolicyChoice<?> choice) {
        return new Simulation(jobs, WORLD, settings, choice).run(done -> {});
    }

    /** All but the time that it took, and how often the policy was asked. */
    private static String figures(SimulationResult one) {
        return one.jobs() + " " + one.finished() + " " + one.waits() + " " + one.homeUse() + " " + one.cloud() + " "
                + one.uses() + " " + one.samples().hashCode() + " "
                + one.effort().changes();
    }

    @Test
    void theSameSeedGivesTheSameAndAnotherSeedDoesNot() {
        List<LoggedJob> jobs = jobs(7, 150);
        SimulationSettings settings = SimulationSettings.DEFAULTS;

        String first = figures(run(jobs, settings, QUEUE_DEPTH));

        assertThat(figures(run(jobs, settings, QUEUE_DEPTH))).isEqualTo(first);
        assertThat(figures(run(jobs, seeded(2), QUEUE_DEPTH))).isNotEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void skippedTicksWouldHaveChangedNothing(long seed) {
        List<LoggedJob> jobs = jobs(seed, 60);
        SimulationSettings usual = SimulationSettings.DEFAULTS;
        var every = new SimulationSettings(
                usual.seed(),
                usual.tick(),
                usual.defaultLimit(),
                usual.shutdown(),
                usual.monthlyBudget(),
                true,
                usual.samples());
        PolicyChoice<?> age =
                new PolicyChoice<>("age", new AgePolicy(), AgeSettings.thresholds(1, Duration.ofMinutes(20)));

        for (PolicyChoice<?> choice : List.of(QUEUE_DEPTH, age)) {
            SimulationResult skipping = run(jobs, usual, choice);
            SimulationResult asking = run(jobs, every, choice);

            assertThat(figures(skipping)).as("seed " + seed).isEqualTo(figures(asking));
            assertThat(skipping.effort().decisions()).isLessThan(asking.effort().decisions());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15})
    void nothingIsLostAndNothingIsCountedTwice(long seed) {
        List<LoggedJob> jobs = jobs(seed, 150);

        SimulationResult result = run(jobs, seeded(seed), QUEUE_DEPTH);

        assertThat(result.finished()).as("seed " + seed).isEqualTo(jobs.size());
        assertThat(result.cloud().cost())
                .isEqualTo(
                        result.uses().stream().map(SimulationResult.Use::cost).reduce(Money.ZERO, Money::plus));
        assertThat(result.cloud().nodeHours())
                .isCloseTo(
                        result.uses().stream()
                                .mapToDouble(SimulationResult.Use::nodeHours)
                                .sum(),
                        org.assertj.core.data.Offset.offset(1e-6));
        assertThat(result.cloud().launched()).isEqualTo((int)
                result.uses().stream().mapToLong(SimulationResult.Use::launched).sum());
        assertThat(result.cloud().idleHours() + result.cloud().bootHours())
                .isLessThanOrEqualTo(result.cloud().nodeHours());
        assertThat(result.homeUse()).isBetween(0.0, 1.0);
    }

    /** Keeps everything that it is shown. */
    private static final class Spy implements ScalingPolicy<QueueDepthSettings> {
        private final QueueDepthPolicy real = new QueueDepthPolicy();
        private final List<ClusterSnapshot> seen = new ArrayList<>();

        @Override
        public String name() {
            return "spy";
        }

        @Override
        public QueueDepthSettings defaults() {
            return QueueDepthSettings.DEFAULTS;
        }

        @Override
        public List<Wish> decide(ClusterSnapshot now, QueueDepthSettings settings, Planner planner) {
            seen.add(now);
            return real.decide(now, settings, planner);
        }
    }

    @Test
    void aPolicySeesNothingOfHowLongAJobWillRun() {
        List<LoggedJob> jobs = jobs(5, 60);
        Duration more = Duration.ofHours(9).plusSeconds(7);
        List<LoggedJob> longer = jobs.stream()
                .map(job -> new LoggedJob(
                        job.id(),
                        job.submit(),
                        job.duration().plus(more),
                        job.nodes(),
                        job.perNode(),
                        job.walltime(),
                        job.queue(),
                        job.user(),
                        job.account(),
                        job.priority(),
                        job.deadline()))
                .toList();
        Instant firstEnd = jobs.stream()
                .map(job -> job.submit().plus(job.duration()))
                .min(Instant::compareTo)
                .orElseThrow();
        var usual = new Spy();
        var other = new Spy();

        run(jobs, SimulationSettings.DEFAULTS, usual(usual));
        run(longer, SimulationSettings.DEFAULTS, usual(other));

        List<ClusterSnapshot> until = before(usual.seen, firstEnd);
        assertThat(until).isNotEmpty().isEqualTo(before(other.seen, firstEnd));
        Instant firstLongEnd = firstEnd.plus(more);
        String everything = before(other.seen, firstLongEnd).toString();
        longer.forEach(job -> assertThat(everything)
                .doesNotContain(job.duration().toString())
                .doesNotContain(job.submit().plus(job.duration()).toString()));
    }

    private static List<ClusterSnapshot> before(List<ClusterSnapshot> seen, Instant end) {
        return seen.stream().filter(one -> one.now().isBefore(end)).toList();
    }

    @Test
    void whatRunsBeyondItsLimitIsNotCutOff() {
        LoggedJob job = new LoggedJob(
                "1",
                START,
                Duration.ofHours(3),
                1,
                Resources.of(6, 48L << 30, 1),
                Duration.ofHours(1),
                "q",
                "",
                "",
                0,
                START.plus(Duration.ofHours(2)));

        SimulationResult result = run(List.of(job), SimulationSettings.DEFAULTS, QUEUE_DEPTH);

        assertThat(result.finished()).isEqualTo(1);
        assertThat(result.waits().longest()).isZero();
        assertThat(result.deadlines()).isEqualTo(new SimulationResult.Deadlines(0, 1));
        assertThat(result.cloud().cost()).isEqualTo(Money.ZERO);
    }

    @Test
    void withoutMoneyNothingIsBought() {
        var poor = new SimulationSettings(
                1, Duration.ofSeconds(60), Duration.ofHours(24), Duration.ZERO, Money.ZERO, false, 10);
        List<LoggedJob> jobs = jobs(9, 80);

        SimulationResult result = run(jobs, poor, QUEUE_DEPTH);

        assertThat(result.cloud().launched()).isZero();
        assertThat(result.finished()).isEqualTo(80);
        assertThat(result.waits().mean())
                .isGreaterThan(run(jobs, SimulationSettings.DEFAULTS, QUEUE_DEPTH)
                        .waits()
                        .mean());
    }

    @Test
    void aPolicyThatKeepsItsNodesDoesNotKeepTheSimulation() {
        var keeper = new PolicyChoice<>(
                "keeper", new QueueDepthPolicy(), new QueueDepthSettings(Duration.ofDays(3650), 1000));

        SimulationResult result = run(jobs(3, 100), SimulationSettings.DEFAULTS, keeper);

        assertThat(result.finished()).isEqualTo(100);
        assertThat(result.cloud().idleHours()).isGreaterThan(1);
    }
}
