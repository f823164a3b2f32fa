package org.spillway.cloud.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Network;
import org.spillway.cloud.Power;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.RateLimits.Bucket;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

final class PacedSiteTest {
    private static final OfferingId OFFERING = new OfferingId("here", "a", "small", Market.ON_DEMAND);
    private static final LaunchOutcome THROTTLED = new LaunchOutcome.Refused(Reason.THROTTLED, "slow down");
    private static final Pacing PATIENT =
            new Pacing(Duration.ofSeconds(30), 4, Duration.ofMillis(500), Duration.ofSeconds(8), 2);

    private final Clock clock = new Clock();
    private final Provider provider = new Provider();

    /** Time that passes only when somebody waits. */
    private static final class Clock implements InstantSource, Pause {
        private Instant now = Instant.parse("2026-11-21T00:00:00Z");
        private final List<Duration> waits = new ArrayList<>();

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public void sleep(Duration time) {
            waits.add(time);
            now = now.plus(time);
        }
    }

    /** @param tokens that the call took of the bucket in question */
    private record Made(String call, Instant at, int tokens) {}

    /** Has every role, writes down each call, and answers as it was told. */
    private final class Provider implements Site, Compute, Power, Network, Inventory {
        private final List<Made> made = new ArrayList<>();
        private final Deque<LaunchOutcome> outcomes = new ArrayDeque<>();
        private final Deque<CloudException> failures = new ArrayDeque<>();
        private RateLimits limits = RateLimits.NONE;

        private void call(String name) throws CloudException {
            made.add(new Made(name, clock.instant(), 1));
            CloudException failure = failures.poll();
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public RateLimits rateLimits() {
            return limits;
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            made.add(new Made("launch", clock.instant(), request.count()));
            LaunchOutcome outcome = outcomes.poll();
            return new LaunchAnswer(outcome == null ? new LaunchOutcome.Launched(request.count()) : outcome, List.of());
        }

        @Override
        public List<Offering> offerings() throws CloudException {
            call("offerings");
            return List.of();
        }

        @Override
        public void terminate(Collection<String> instanceIds) throws CloudException {
            call("terminate");
        }

        @Override
        public List<Instance> list() throws CloudException {
            call("list");
            return List.of();
        }

        @Override
        public Optional<Lookup> lookup() {
            return Optional.of(ids -> {
                call("look");
                return Map.of();
            });
        }

        @Override
        public Duration consistencyWindow() {
            return Duration.ofSeconds(5);
        }

        @Override
        public void stop(Collection<String> instanceIds) throws CloudException {
            call("stop");
        }

        @Override
        public void start(Collection<String> instanceIds) throws CloudException {
            call("start");
        }

        @Override
        public List<Billable> create() throws CloudException {
            call("create");
            return List.of();
        }

        @Override
        public void delete() throws CloudException {
            call("delete network");
        }

        @Override
        public List<Billable> all() throws CloudException {
            call("all");
            return List.of();
        }

        @Override
        public void delete(Billable thing) throws CloudException {
            call("delete");
        }

        @Override
        public Compute compute() {
            return this;
        }

        @Override
        public Optional<Power> power() {
            return Optional.of(this);
        }

        @Override
        public Optional<Console> console() {
            return Optional.of(id -> {
                call("console");
                return "text";
            });
        }

        @Override
        public Optional<Network> network() {
            return Optional.of(this);
        }

        @Override
        public Optional<Inventory> inventory() {
            return Optional.of(this);
        }

        @Override
        public Diagnostics diagnostics() {
            return needs -> {
                made.add(new Made("check", clock.instant(), 1));
                return List.of();
            };
        }

        @Override
        public void close() {
            made.add(new Made("close", clock.instant(), 0));
        }
    }

    private PacedSite paced(RateLimits limits, long seed) {
        provider.limits = limits;
        return new PacedSite(provider, PATIENT, clock, clock, new Random(seed));
    }

    private static LaunchRequest launch(int count) {
        return LaunchRequest.of("intent-1", 1, OFFERING, count);
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void noWindowHoldsMoreThanTheBucketAndWhatFlowsIn(long seed) throws Exception {
        Random draw = new Random(seed * 0x9E3779B97F4A7C15L);
        RateLimits limits = new RateLimits(bucket(draw, 100), bucket(draw, 20), bucket(draw, 20));
        PacedSite site = paced(limits, seed);
        List<Made> launched = new ArrayList<>();
        int changes = 0;
        for (int i = 0; i < 60; i++) {
            clock.sleep(Duration.ofMillis(draw.nextInt(800)));
            int before = provider.made.size();
            switch (draw.nextInt(3)) {
                case 0 -> {
                    site.compute()
                            .launch(launch(1 + draw.nextInt(limits.instances().size())));
                }
                case 1 -> attempt(() -> site.compute().terminate(List.of("i-1")));
                default -> attempt(() -> site.compute().list());
            }
            changes += provider.made.size() - before;
        }
        assertThat(changes).as("of seed %s", seed).isPositive();
        provider.made.stream().filter(call -> call.call().equals("launch")).forEach(launched::add);
        assertWithin(limits.instances(), launched);
        assertWithin(
                limits.changes(),
                provider.made.stream()
                        .filter(call -> Set.of("launch", "terminate").contains(call.call()))
                        .map(call -> new Made(call.call(), call.at(), 1))
                        .toList());
        assertWithin(
                limits.reads(),
                provider.made.stream()
                        .filter(call -> call.call().equals("list"))
                        .toList());
    }

    private interface Attempt {
        void make() throws CloudException;
    }

    /** A call that is held back is a right answer here. */
    private static void attempt(Attempt attempt) {
        try {
            attempt.make();
        } catch (CloudException held) {
            assertThat(held.reason()).isEqualTo(Reason.THROTTLED);
        }
    }

    private static Bucket bucket(Random draw, int largest) {
        return new Bucket(1 + draw.nextInt(largest), 0.1 + draw.nextDouble() * 10);
    }

    private static void assertWithin(Bucket bucket, List<Made> calls) {
        for (int from = 0; from < calls.size(); from++) {
            long taken = 0;
            for (int to = from; to < calls.size(); to++) {
                taken += calls.get(to).tokens();
                double seconds =
                        Duration.between(calls.get(from).at(), calls.get(to).at())
                                        .toNanos()
                                / 1e9;
                assertThat((double) taken)
                        .as("%s from call %s to %s", bucket, from, to)
                        .isLessThanOrEqualTo(bucket.size() + seconds * bucket.perSecond() + 1e-6);
            }
        }
    }

    @Test
    void aLaunchTakesATokenForEachInstance() {
        PacedSite site = paced(new RateLimits(new Bucket(10, 2), new Bucket(100, 100), new Bucket(100, 100)), 1);
        Instant begin = clock.instant();
        site.compute().launch(launch(10));
        site.compute().launch(launch(4));
        assertThat(provider.made).extracting(Made::at).containsExactly(begin, begin.plusSeconds(2));
    }

    /** Finding C8: RunInstances has a bucket of requests beside that of instances, and only the latter was obeyed. */
    @Test
    void aLaunchTakesATokenForItsCallWhereTheseAreCounted() throws Exception {
        Bucket large = new Bucket(1000, 100);
        PacedSite site = paced(new RateLimits(large, large, large).withLaunches(new Bucket(5, 2)), 1);
        Instant begin = clock.instant();
        for (int i = 0; i < 7; i++) {
            site.compute().launch(launch(100));
        }
        site.compute().terminate(List.of("i-1"));
        assertThat(provider.made.stream()
                        .map(call -> Duration.between(begin, call.at()).toMillis()))
                .containsExactly(0L, 0L, 0L, 0L, 0L, 500L, 1000L, 1000L);
    }

    @Test
    void oneThatIsLargerThanTheBucketWaitsForAFullOne() {
        PacedSite site = paced(new RateLimits(new Bucket(10, 2), new Bucket(100, 100), new Bucket(100, 100)), 1);
        site.compute().launch(launch(1));
        Instant before = clock.instant();
        assertThat(site.compute().launch(launch(1000)).outcome()).isEqualTo(new LaunchOutcome.Launched(1000));
        assertThat(clock.instant()).isEqualTo(before.plusMillis(500));
    }

    @Test
    void whatWouldWaitTooLongIsRefusedAndNotSent() {
        PacedSite site = paced(new RateLimits(new Bucket(10, 0.1), new Bucket(1, 0.01), new Bucket(1, 0.01)), 1);
        site.compute().launch(launch(10));
        assertThat(site.compute().launch(launch(5)).outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.THROTTLED));
        assertThatThrownBy(() -> site.compute().terminate(List.of("i-1")))
                .isInstanceOf(CloudException.class)
                .hasMessageContaining("held back, not sent");
        assertThat(provider.made).hasSize(1);
        assertThat(clock.waits).isEmpty();
    }

    @Test
    void aThrottledLaunchIsAskedAgainWithJitterAndABound() {
        PacedSite site = paced(RateLimits.NONE, 7);
        provider.outcomes.addAll(List.of(THROTTLED, THROTTLED));
        assertThat(site.compute().launch(launch(2)).outcome()).isEqualTo(new LaunchOutcome.Launched(2));
        assertThat(provider.made).hasSize(3);
        assertThat(clock.waits).hasSize(2);
        assertThat(clock.waits.getFirst()).isLessThan(Duration.ofMillis(500));
        assertThat(clock.waits.getLast()).isLessThan(Duration.ofSeconds(1));
        provider.outcomes.addAll(List.of(THROTTLED, THROTTLED, THROTTLED, THROTTLED, THROTTLED));
        assertThat(site.compute().launch(launch(2)).outcome()).isEqualTo(THROTTLED);
        assertThat(provider.made).hasSize(7);
    }

    @Test
    void noOtherAnswerOfALaunchIsAskedAgain() {
        PacedSite site = paced(RateLimits.NONE, 1);
        for (LaunchOutcome outcome : List.of(
                new LaunchOutcome.Unknown("lost"),
                new LaunchOutcome.Partial(1, Reason.THROTTLED, "less"),
                new LaunchOutcome.Refused(Reason.CAPACITY, "none"))) {
            int before = provider.made.size();
            provider.outcomes.add(outcome);
            assertThat(site.compute().launch(launch(2)).outcome()).isEqualTo(outcome);
            assertThat(provider.made).hasSize(before + 1);
        }
    }

    /** A network is made in many steps: an answer that only sounds throttled may have made something. */
    @Test
    void aNetworkIsNotMadeTwice() {
        PacedSite site = paced(RateLimits.NONE, 1);
        Map<String, Attempt> calls = Map.of(
                "create", () -> site.network().orElseThrow().create(),
                "delete network", () -> site.network().orElseThrow().delete());
        for (var call : calls.entrySet()) {
            provider.made.clear();
            provider.failures.add(new CloudException(Reason.THROTTLED, "slow down"));
            assertThatThrownBy(() -> call.getValue().make()).hasMessage("slow down");
            assertThat(provider.made).extracting(Made::call).containsExactly(call.getKey());
        }
    }

    @Test
    void everyRoleIsPacedAndAskedAgainWhenThrottled() throws Exception {
        Billable thing = Billable.tagged("disk", "d-1", Money.ZERO, Map.of());
        PacedSite site = paced(RateLimits.NONE, 1);
        Map<String, Attempt> calls = Map.of(
                "offerings", () -> site.compute().offerings(),
                "list", () -> site.compute().list(),
                "look", () -> site.compute().lookup().orElseThrow().look(List.of("i-1")),
                "terminate", () -> site.compute().terminate(List.of("i-1")),
                "stop", () -> site.power().orElseThrow().stop(List.of("i-1")),
                "start", () -> site.power().orElseThrow().start(List.of("i-1")),
                "console", () -> site.console().orElseThrow().output("i-1"),
                "all", () -> site.inventory().orElseThrow().all(),
                "delete", () -> site.inventory().orElseThrow().delete(thing));
        for (var call : calls.entrySet()) {
            provider.made.clear();
            provider.failures.add(new CloudException(Reason.THROTTLED, "slow down"));
            call.getValue().make();
            assertThat(provider.made).extracting(Made::call).containsExactly(call.getKey(), call.getKey());
            provider.made.clear();
            provider.failures.add(new CloudException(Reason.CREDENTIALS, "expired"));
            assertThatThrownBy(() -> call.getValue().make()).hasMessage("expired");
            assertThat(provider.made).hasSize(1);
        }
    }

    @Test
    void aRoleThatIsAbsentStaysAbsentAndDiagnosticsNeverThrows() {
        Site bare = new Site() {
            @Override
            public Compute compute() {
                return provider;
            }

            @Override
            public Diagnostics diagnostics() {
                return provider.diagnostics();
            }

            @Override
            public RateLimits rateLimits() {
                return new RateLimits(new Bucket(1, 0.01), new Bucket(1, 0.01), new Bucket(1, 0.01));
            }

            @Override
            public void close() {
                provider.close();
            }
        };
        PacedSite site = new PacedSite(bare, PATIENT, clock, clock, new Random(1));
        assertThat(site.power()).isEmpty();
        assertThat(site.console()).isEmpty();
        assertThat(site.network()).isEmpty();
        assertThat(site.inventory()).isEmpty();
        assertThat(site.diagnostics().check(Diagnostics.Needs.NONE)).isEmpty();
        assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                .extracting(Diagnostics.Finding::check)
                .containsExactly("rate limit");
        site.close();
        assertThat(provider.made).extracting(Made::call).containsExactly("check", "close");
    }
}
