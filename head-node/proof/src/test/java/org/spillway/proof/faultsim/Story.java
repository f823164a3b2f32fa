package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.cloud.Power;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Forwards;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.Mounts;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.limits.Cap;
import org.spillway.head.limits.QueueLimits;
import org.spillway.head.limits.Shares;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.port.SiteCheck;
import org.spillway.head.loop.port.SiteImages;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.settings.StandingCapacity;
import org.spillway.head.workload.EmbeddedWorkload;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Resources;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.scaler.BoundPolicy;
import org.spillway.scaler.Decider;

/** The production loop in a simulated world in which only that goes wrong that a test wants. */
final class Story {
    static final Decider POLICY =
            new BoundPolicy<>(new QueueDepthPolicy(), new QueueDepthSettings(Duration.ofSeconds(10), 1000));

    final SimWorld world;
    final Journal journal;
    final Loop loop;
    private final SimEffects effects;
    private final StorySetup setup;
    private final long stagedPerUserBytes;
    private final Decider decider;

    Story(SimWorld.Spec... sites) {
        this(StorySetup.USUAL, sites);
    }

    /** @param stagedPerUserBytes an input has 1 */
    Story(long stagedPerUserBytes, SimWorld.Spec... sites) {
        this(StorySetup.USUAL, stagedPerUserBytes, sites);
    }

    /** @param checks of a site by its name */
    Story(Function<String, Optional<SiteCheck>> checks, SimWorld.Spec... sites) {
        this(StorySetup.USUAL.checked(checks), sites);
    }

    /** With limits and shares. */
    Story(List<Cap> caps, @Nullable Shares shares, SimWorld.Spec... sites) {
        this(StorySetup.USUAL.limited(caps, shares), sites);
    }

    Story(StorySetup setup, SimWorld.Spec... sites) {
        this(setup, Long.MAX_VALUE, sites);
    }

    /** @param decider instead of the usual policy */
    Story(Decider decider, SimWorld.Spec... sites) {
        this(StorySetup.USUAL, Long.MAX_VALUE, decider, sites);
    }

    private Story(StorySetup setup, long stagedPerUserBytes, SimWorld.Spec... sites) {
        this(setup, stagedPerUserBytes, POLICY, sites);
    }

    private Story(StorySetup setup, long stagedPerUserBytes, Decider decider, SimWorld.Spec... sites) {
        this.setup = setup;
        this.stagedPerUserBytes = stagedPerUserBytes;
        this.decider = decider;
        Draw draw = new Draw(1);
        world = new SimWorld(draw, List.of(sites));
        world.calm();
        effects = new SimEffects(world.clock, draw);
        journal = new Journal(world.disk, Instant.MIN);
        loop = new Loop(settings(), journal, ports(draw), world.clock::now);
    }

    /** Whether what the loop has begun under that key has not ended. */
    boolean isUnderWay(String key) {
        return effects.isUnderWay(key);
    }

    /** The head was killed, and another one goes on with its journal. */
    Story restarted() {
        effects.abandon();
        return new Story(this);
    }

    private Story(Story before) {
        setup = before.setup;
        stagedPerUserBytes = before.stagedPerUserBytes;
        decider = before.decider;
        world = before.world;
        Draw draw = new Draw(2);
        effects = new SimEffects(world.clock, draw);
        journal = new Journal(world.disk, Instant.MIN);
        loop = new Loop(settings(), journal, ports(draw), world.clock::now);
    }

    private Ports ports(Draw draw) {
        SimLink link = new SimLink(world, world.clock, draw);
        return new Ports(
                effects,
                link,
                link,
                new SimStager(world, draw),
                setup.roles().none() ? new NoImages() : new SimImages(world),
                new SimCredentials(),
                new EmbeddedWorkload(),
                target -> Directive.DirectoryGrant.NONE,
                decider);
    }

    private static final class NoImages implements SiteImages {
        @Override
        public Directive.ImageGrant current() {
            return Directive.ImageGrant.NONE;
        }

        @Override
        public void replicate(DirectorTarget director, Directive.ImageGrant image) {}
    }

    private LoopSettings settings() {
        Map<String, SitePlan> plans = new TreeMap<>();
        world.sites.forEach((name, site) -> plans.put(
                name,
                new SitePlan(
                        name,
                        new SitePlan.Provider(
                                site.compute(),
                                Optional.<Power>of(site.provider),
                                setup.checks().apply(name),
                                Optional.empty(),
                                site.calls()),
                        new SitePlan.Director(
                                "std",
                                Market.ON_DEMAND,
                                "",
                                "",
                                Duration.ofSeconds(10),
                                Optional.empty(),
                                setup.trialBudget()),
                        new SitePlan.Nodes(
                                site.maxNodes,
                                "",
                                Duration.ofSeconds(60),
                                site.keepCount > 0
                                        ? List.of(new StandingCapacity("std", site.keepCount, !setup.pooled()))
                                        : List.of(),
                                setup.idle(),
                                Isolation.PREFERRED,
                                Mounts.NONE,
                                Optional.empty(),
                                Forwards.NONE),
                        site.keepCount > 0,
                        "story",
                        0,
                        setup.egressPerGigabyte())));
        return new LoopSettings(
                "story",
                new LoopSettings.Lease(SimWorld.LEASE, Duration.ofSeconds(2)),
                new LoopSettings.Spending(
                        Money.parse("1000"),
                        BudgetPeriod.MONTH,
                        ZoneOffset.UTC,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(240)),
                3,
                plans,
                new LoopSettings.Planning(LoopSettings.Schedule.NONE, setup.breakers(), setup.dryRun()),
                new LoopSettings.Limits(setup.caps(), setup.shares(), stagedPerUserBytes, QueueLimits.NONE),
                setup.roles(),
                setup.markets());
    }

    /** A job of one CPU, unless it is changed. */
    static final class Job {
        private final String id;
        private final List<String> sites;
        private int cpus = 1;
        private int nodes = 1;
        private Duration walltime = Duration.ofSeconds(60);
        private String queue = "q";
        private Set<Market> markets = Set.of();
        private String user = "u";
        private String account = "";
        private Map<String, Integer> licences = Map.of();
        private List<JobSpec.Dependency> after = List.of();
        private boolean requeue = true;
        private int syncSeconds;
        private List<JobSpec.Output> outputs;
        private JobSpec.ArrayTask task = new JobSpec.ArrayTask("none", 0, 0);

        Job(String id, String... sites) {
            this.id = id;
            this.sites = List.of(sites);
            this.outputs = List.of(new JobSpec.Output("out", "/home/u/out-" + id, false, false));
        }

        Job cpus(int count) {
            cpus = count;
            return this;
        }

        Job nodes(int count) {
            nodes = count;
            return this;
        }

        /** At most. */
        Job lasting(Duration time) {
            walltime = time;
            return this;
        }

        Job in(String name) {
            queue = name;
            return this;
        }

        /** Only machines that were bought so. */
        Job on(Market... wanted) {
            markets = Set.of(wanted);
            return this;
        }

        /** Whose it is. */
        Job of(String name, String charged) {
            user = name;
            account = charged;
            return this;
        }

        Job licence(String name, int count) {
            licences = Map.of(name, count);
            return this;
        }

        Job after(String job, boolean onlyIfDone) {
            after = List.of(new JobSpec.Dependency(job, onlyIfDone));
            return this;
        }

        /** Not tried again. */
        Job once() {
            requeue = false;
            return this;
        }

        /** Outputs of this job come home each so many seconds, too. */
        Job syncing(int seconds) {
            syncSeconds = seconds;
            return this;
        }

        /** A job whose standard output grows at home. */
        Job talking() {
            outputs = List.of(outputs.getFirst(), new JobSpec.Output(Orders.STDOUT, "/home/u/log-" + id, false, false));
            return this;
        }

        Job task(String array, int index, int limit) {
            task = new JobSpec.ArrayTask(array, index, limit);
            return this;
        }

        JobSpec spec(Instant now) {
            return JobSpec.of(draft -> {
                draft.name = id;
                draft.owner = new JobSpec.Owner(user, 1000, 1000);
                draft.queue = queue;
                draft.sites = sites;
                draft.program = new JobSpec.Program("#!/bin/sh\n", List.of(), Map.of());
                draft.need = new JobSpec.Need(
                        Resources.of(cpus, 1L << 30, 0), nodes, walltime, List.of(), false, null, markets);
                draft.after = after;
                draft.requeue = requeue;
                draft.array = task.id().equals("none") ? null : task;
                draft.data = new JobSpec.Data(
                        List.of(new JobSpec.Input("/home/u/in", "")), outputs, "/home/u", syncSeconds, null);
                draft.idempotencyKey = JobSpec.Key.of(id);
                draft.submittedAt = now;
                draft.terms = new JobSpec.Terms(account, null, licences);
            });
        }
    }

    void submit(Job... jobs) {
        Instant now = world.clock.now();
        for (Job job : jobs) {
            JobSpec spec = job.spec(now);
            journal.commit(now, new JobRecord(spec.name(), spec, JobState.SUBMITTED, Cause.NONE, now, JobRun.NONE));
        }
    }

    void cancel(String job) {
        JobRecord found = job(job);
        journal.commit(world.clock.now(), found.with(found.run().withCancelled()));
    }

    /** As {@code cancel} does while results are on their way. */
    void giveUp(String job) {
        JobRecord found = job(job);
        journal.commit(world.clock.now(), found.with(found.run().withGivenUp(world.clock.now())));
    }

    JobRecord job(String id) {
        return journal.job(id).orElseThrow();
    }

    /** Why it is where it is, as all that shows it says. */
    Cause waits(String id) {
        return loop.standing(job(id)).cause();
    }

    JobState state(String id) {
        return job(id).jobState();
    }

    /** Compute nodes of a site in that state. */
    List<NodeRecord> nodes(String site, NodeState state) {
        return journal.nodes().stream()
                .filter(node -> !node.isDirector() && node.site().equals(site) && node.nodeState() == state)
                .toList();
    }

    void step() {
        step(200);
    }

    /** A tick after so much time. */
    void step(int millis) {
        world.step(millis);
        effects.step();
        loop.tick(world.clock.now());
    }

    void pass(Duration time) {
        Instant begin = world.clock.now();
        Instant end = begin.plus(time);
        while (world.clock.now().isBefore(end)) {
            stepSince(begin, end);
        }
    }

    /** Five ticks a second, however long. */
    void passClosely(Duration time) {
        Instant end = world.clock.now().plus(time);
        while (world.clock.now().isBefore(end)) {
            step();
        }
    }

    /** Lets time pass in which nothing is under way, by half a minute at a time. */
    void leap(Duration time) {
        Instant end = world.clock.now().plus(time);
        while (world.clock.now().isBefore(end)) {
            world.step(30_000);
            effects.step();
            loop.tick(world.clock.now());
        }
    }

    /** Lets time pass until it is so. */
    void until(String what, Duration most, BooleanSupplier isSo) {
        Instant begin = world.clock.now();
        Instant end = begin.plus(most);
        while (!isSo.getAsBoolean()) {
            assertThat(world.clock.now()).as("%s, within %s", what, most).isBefore(end);
            stepSince(begin, end);
        }
    }

    /** A wait like {@link #until}, by five ticks a second however long: a machine's luck is drawn at each. */
    void untilClosely(String what, Duration most, BooleanSupplier isSo) {
        Instant end = world.clock.now().plus(most);
        while (!isSo.getAsBoolean()) {
            assertThat(world.clock.now()).as("%s, within %s", what, most).isBefore(end);
            step();
        }
    }

    /** A tick a second once a minute has passed: an hour of five ticks a second was most of what the stories computed. */
    private void stepSince(Instant begin, Instant end) {
        Instant now = world.clock.now();
        boolean isLong = now.isAfter(begin.plus(Duration.ofMinutes(1)));
        step(isLong ? (int) Math.clamp(Duration.between(now, end).toMillis(), 200, 1000) : 200);
    }
}
