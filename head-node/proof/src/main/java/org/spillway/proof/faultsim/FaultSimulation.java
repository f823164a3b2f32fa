package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.director.wire.Directive.DirectoryGrant;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.port.SiteImages;
import org.spillway.head.loop.settings.IdleNodes;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.head.loop.settings.Markets;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.settings.StandingCapacity;
import org.spillway.head.workload.EmbeddedWorkload;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.scaler.BoundPolicy;

/**
 * A seed's run: some jobs, a stretch of time in which everything may fail, then calm, in which everything must come to
 * its end: every job done with its output published once, and no instance left.
 */
public final class FaultSimulation {
    private static final Duration CALM_LIMIT = Duration.ofMinutes(20);
    private static final int STEPS_LIMIT = 40_000;

    /** A look at the disk costs time; what was paid stays paid. */
    private static final int DIRECTORS_CHECKED_EVERY = 50;

    private final long seed;
    private final LoopFactory factory;
    private final Draw draw;
    private final SimWorld world;
    private final SimStore store;
    private final boolean tight;
    private final Money budget;
    private final Invariants invariants;
    private final Users users;
    private final Administrator administrator;
    private final SickDirectors sick;
    private @Nullable Loop loop;
    private @Nullable Journal journal;
    private @Nullable SimEffects effects;
    private Instant restartAt;
    private int kills;
    private boolean releasing;

    private final boolean roles;

    private FaultSimulation(long seed, LoopFactory factory, boolean busyUsers, boolean roles, boolean fabrics) {
        this.roles = roles;
        this.seed = seed;
        this.factory = factory;
        this.draw = new Draw(seed);
        this.world = new SimWorld(draw);
        this.store = new SimStore(world.disk, draw);
        this.tight = draw.chance(0.15);
        this.budget = tight ? new Money(draw.between(500_000, 3_000_000)) : Money.parse("1000");
        this.users = new Users(world, new Draw(~seed), busyUsers, roles);
        this.administrator = new Administrator(world, new Draw(seed ^ 0x5ca1ab1eL), roles);
        this.invariants = new Invariants(world, budget);
        this.sick = new SickDirectors(world, new Draw(seed ^ 0xd1ec70L));
        this.restartAt = world.clock.now();
        // Nodes that are always there may be in several zones, and a gang as large as its site could never run.
        world.sites.values().stream()
                .filter(site -> site.keepCount == 0)
                .forEach(site -> site.provider.fabrics = fabrics);
    }

    /** Runs a seed to its end; the same seed gives the same verdict. */
    public static Verdict run(long seed, LoopFactory factory) {
        return run(seed, factory, true);
    }

    /** @param busyUsers whether users come and change their minds while things go wrong */
    static Verdict run(long seed, LoopFactory factory, boolean busyUsers) {
        return run(new FaultSimulation(seed, factory, busyUsers, false, false));
    }

    /** With nodes of two categories, one of which has an overlay, and which are made each other's. */
    public static Verdict runWithRoles(long seed, LoopFactory factory) {
        return run(new FaultSimulation(seed, factory, true, true, false));
    }

    /** With two zones, with a fabric in each, and many launches of which only a part can be had. */
    static Verdict runWithFabrics(long seed, LoopFactory factory) {
        return run(new FaultSimulation(seed, factory, true, false, true));
    }

    private static Verdict run(FaultSimulation simulation) {
        Instant begin = simulation.world.clock.now();
        String broken = "";
        try {
            simulation.run();
        } catch (Broken what) {
            broken = String.valueOf(what.getMessage());
        } catch (RuntimeException failure) {
            StackTraceElement[] trace = failure.getStackTrace();
            broken = failure + (trace.length > 0 ? " at " + trace[0] : "");
        }
        int launches = simulation.world.sites.values().stream()
                .mapToInt(site -> site.provider.machines.size())
                .sum();
        int attempts = simulation.users.jobs().stream()
                .flatMap(id -> simulation.world.disk.job(id).stream())
                .mapToInt(job -> job.run().attempt())
                .sum();
        return new Verdict(
                simulation.seed,
                broken,
                simulation.users.jobs().size(),
                simulation.kills,
                launches,
                attempts,
                Duration.between(begin, simulation.world.clock.now()).toSeconds());
    }

    private void run() {
        Faults faults = new Faults(world, draw);
        Lies lies = new Lies(world, new Draw(seed ^ 0x11e5L));
        Locks locks = new Locks(world, new Draw(seed ^ 0x10c5L));
        users.begin(draw);
        store.killChance(0.03);
        Instant calmAt = world.clock.now().plusSeconds(draw.between(20, 120));
        for (int step = 0; step < STEPS_LIMIT; step++) {
            boolean faulty = world.clock.now().isBefore(calmAt);
            sick.step(faulty);
            if (faulty) {
                faults.step();
                lies.step();
                locks.step(users.jobs());
            } else if (world.isFaulty()) {
                world.calm();
                store.killChance(0);
            }
            advance(faulty);
            invariants.check();
            if (step % DIRECTORS_CHECKED_EVERY == 0) {
                sick.check(world.disk.load(Instant.MIN));
            }
            if (!faulty && isOver()) {
                judge();
                return;
            }
            if (!faulty && !releasing && hasOnlyStandingNodes()) {
                // Kept nodes end only when the head is told to release them.
                releasing = true;
            }
            if (releasing && loop != null) {
                loop.beginRelease();
            }
            if (!faulty && tight && world.clock.now().isAfter(calmAt.plusSeconds(300))) {
                return;
            }
            if (world.clock.now().isAfter(calmAt.plus(CALM_LIMIT))) {
                throw new Broken("it did not come to an end: " + unfinished());
            }
        }
        throw new Broken("too many steps: " + unfinished());
    }

    private void advance(boolean faulty) {
        world.step(draw.between(100, 900));
        if (loop == null) {
            if (!world.clock.now().isBefore(restartAt)) {
                guarded(this::start);
            }
            return;
        }
        if (faulty && draw.chance(0.004)) {
            die();
            return;
        }
        guarded(() -> {
            if (effects != null) {
                effects.step();
            }
            if (loop != null && journal != null) {
                sick.mend(journal, faulty);
                users.step(journal, faulty);
                administrator.step(loop, journal, faulty);
                loop.tick(world.clock.now());
            }
        });
    }

    private void guarded(Runnable part) {
        try {
            part.run();
        } catch (HeadKilled killed) {
            die();
        }
    }

    private void die() {
        kills++;
        loop = null;
        journal = null;
        if (effects != null) {
            effects.abandon();
            effects = null;
        }
        restartAt = world.clock.now().plusMillis(draw.between(0, draw.chance(0.1) ? 60_000 : 5_000));
    }

    private void start() {
        SimEffects life = new SimEffects(world.clock, draw);
        effects = life;
        Journal memory = new Journal(store, Instant.MIN);
        loop = roles
                ? factory.start(
                        settings(world, budget).with(SimImages.ROLES),
                        memory,
                        ports(world, life, draw).with(new SimImages(world)),
                        world.clock::now)
                : factory.start(settings(world, budget), memory, ports(world, life, draw), world.clock::now);
        journal = memory;
    }

    static Ports ports(SimWorld world, SimEffects life, Draw draw) {
        return ports(world, life, draw, new EmbeddedWorkload());
    }

    static Ports ports(SimWorld world, SimEffects life, Draw draw, WorkloadManager workload) {
        SimLink link = new SimLink(world, world.clock, draw);
        return new Ports(
                life,
                link,
                link,
                new SimStager(world, draw),
                new NoImages(),
                new SimCredentials(),
                workload,
                target -> DirectoryGrant.NONE,
                new BoundPolicy<>(new QueueDepthPolicy(), new QueueDepthSettings(Duration.ofSeconds(10), 1000)));
    }

    private static final class NoImages implements SiteImages {
        @Override
        public ImageGrant current() {
            return ImageGrant.NONE;
        }

        @Override
        public void replicate(DirectorTarget director, ImageGrant image) {}
    }

    static LoopSettings settings(SimWorld world, Money budget) {
        Map<String, SitePlan> plans = new TreeMap<>();
        world.sites.forEach((name, site) -> plans.put(
                name,
                new SitePlan(
                        name,
                        new SitePlan.Provider(site.provider, Optional.empty(), Optional.empty(), Optional.empty()),
                        new SitePlan.Director(
                                "std",
                                Market.ON_DEMAND,
                                "",
                                "",
                                Duration.ofSeconds(10),
                                Optional.empty(),
                                SickDirectors.budget(world, site)),
                        new SitePlan.Nodes(
                                site.maxNodes,
                                "",
                                Duration.ofSeconds(60),
                                site.keepCount == 0
                                        ? List.of()
                                        : List.of(new StandingCapacity("std", site.keepCount, true)),
                                IdleNodes.ENDED),
                        site.keepCount > 0,
                        "spillway",
                        0,
                        Money.ZERO)));
        return new LoopSettings(
                "sim",
                new LoopSettings.Lease(SimWorld.LEASE, Duration.ofSeconds(2)),
                new LoopSettings.Spending(
                        budget, BudgetPeriod.MONTH, ZoneOffset.UTC, Duration.ofSeconds(10), Duration.ofSeconds(240)),
                100,
                plans,
                LoopSettings.Planning.USUAL,
                LoopSettings.Limits.NONE,
                Roles.NONE,
                Markets.STEADY);
    }

    private boolean isOver() {
        return !users.isWaiting() && unfinished().isEmpty();
    }

    private boolean hasOnlyStandingNodes() {
        boolean jobs = users.isWaiting()
                || users.jobs().stream()
                        .anyMatch(id ->
                                world.disk.job(id).filter(JobRecord::isLive).isPresent());
        return !jobs
                && world.sites.values().stream()
                        .allMatch(site -> site.keepCount == 0
                                ? site.provider.machines.values().stream().noneMatch(SimProvider.Machine::isLive)
                                : hasStandingNodes(site));
    }

    private static boolean hasStandingNodes(SimSite site) {
        return site.nodes.values().stream()
                        .filter(node -> node.machine.isLive() && node.readyAt != null)
                        .count()
                == site.keepCount;
    }

    private String unfinished() {
        StringBuilder text = new StringBuilder();
        for (String id : users.jobs()) {
            world.disk
                    .job(id)
                    .filter(JobRecord::isLive)
                    .ifPresent(job ->
                            text.append(id).append(' ').append(job.jobState()).append(' '));
        }
        world.sites
                .values()
                .forEach(site -> site.provider.machines.values().stream()
                        .filter(SimProvider.Machine::isLive)
                        .forEach(machine -> text.append(machine.id)
                                .append(" of ")
                                .append(machine.request.intent())
                                .append(' ')));
        return text.toString();
    }

    private void judge() {
        for (String id : users.jobs()) {
            JobRecord job = world.disk.job(id).orElseThrow(() -> new Broken("job " + id + " was lost"));
            if (job.run().cancelled() && job.jobState() == JobState.CANCELLED) {
                continue;
            }
            if (job.jobState() == JobState.CANCELLED && isCutOff(job)) {
                continue;
            }
            // The job's script failed, or was stopped by its user just when it was over.
            Integer code = job.run().exitCode();
            boolean failed = job.jobState() == JobState.FAILED && code != null && code != 0;
            boolean stopped = job.run().cancelled() && Integer.valueOf(143).equals(code);
            if (job.jobState() != JobState.DONE && !failed && !stopped) {
                throw new Broken("job " + id + " ended as " + job.jobState() + ": " + job.reason());
            }
            if (job.jobState() == JobState.DONE && !world.home.isWhole(job)) {
                throw new Broken("job " + id + " is DONE and an output is not in its place");
            }
            if (!world.home.hasPublished(id)) {
                throw new Broken("job " + id + " is " + job.jobState() + " without its output (seed " + seed + ")");
            }
        }
    }

    /** The job waited for a job that did not end well. */
    private boolean isCutOff(JobRecord job) {
        return job.run().attempt() == 0
                && job.spec().after().stream()
                        .anyMatch(dependency -> dependency.onlyIfDone()
                                && world.disk
                                        .job(dependency.job())
                                        .filter(found -> found.jobState() != JobState.DONE)
                                        .isPresent());
    }
}
