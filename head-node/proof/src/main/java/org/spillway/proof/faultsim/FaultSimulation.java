package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.head.past.AttemptNumbers;
import org.spillway.policy.Money;

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

    private final Kind kind;
    private final Pauses pauses;
    private final @Nullable Unwritable unwritable;
    private final @Nullable Notices notices;
    private final @Nullable SimPast past;
    private final @Nullable Restored restored;
    private final @Nullable Recoverer recoverer;
    private Instant livesSince;

    /** @param mistake null where no home is within reach */
    private FaultSimulation(
            long seed, LoopFactory factory, boolean busyUsers, Kind kind, SimReach.@Nullable Mistake mistake) {
        this.kind = kind;
        boolean roles = kind == Kind.ROLES;
        this.seed = seed;
        this.factory = factory;
        this.draw = new Draw(seed);
        this.world = new SimWorld(draw, kind != Kind.UNWRITABLE);
        this.store = new SimStore(world.disk, draw);
        this.tight = draw.chance(0.15) && (kind == Kind.USUAL || kind == Kind.ROLES || kind == Kind.FABRICS);
        this.budget = tight ? new Money(draw.between(500_000, 3_000_000)) : Money.parse("1000");
        this.users = new Users(world, new Draw(~seed), busyUsers, roles);
        this.administrator = new Administrator(world, new Draw(seed ^ 0x5ca1ab1eL), roles);
        this.invariants = new Invariants(world, budget);
        this.sick = new SickDirectors(world, new Draw(seed ^ 0xd1ec70L), kind == Kind.SICK);
        this.pauses = new Pauses(world, new Draw(seed ^ 0x57095L));
        this.unwritable = kind == Kind.UNWRITABLE ? new Unwritable(world, new Draw(seed ^ 0xf117L)) : null;
        this.restartAt = world.clock.now();
        this.livesSince = restartAt;
        world.clockSteps = kind == Kind.CLOCK ? new ClockSteps(world, new Draw(seed ^ 0xc10c4L)) : null;
        this.notices = kind == Kind.NOTICED ? new Notices(world, new Draw(seed ^ 0x5907L)) : null;
        this.past = kind == Kind.PAST ? new SimPast(world.disk, new Draw(seed ^ 0x9a57L)) : null;
        this.restored = past == null ? null : new Restored(world, past, new Draw(seed ^ 0x7e57L));
        this.recoverer = restored == null ? null : new Recoverer(world, restored, new Draw(seed ^ 0x4ec0L));
        if (past != null) {
            store.keeps(past);
        } else if (mistake != null) {
            world.withReach(new SimReach(world, new Draw(seed ^ 0x40e5L), mistake));
        }
        // Nodes that are always there may be in several zones, and a gang as large as its site could never run.
        world.sites.values().stream()
                .filter(site -> site.keepCount == 0)
                .forEach(site -> site.provider.fabrics = kind == Kind.FABRICS);
    }

    /** Runs a seed to its end; the same seed gives the same verdict. */
    public static Verdict run(long seed, LoopFactory factory) {
        return run(seed, factory, SimReach.Mistake.NONE);
    }

    /**
     * The story of a seed as it was before homes were within reach.
     *
     * @param busyUsers whether users come and change their minds while things go wrong
     */
    static Verdict run(long seed, LoopFactory factory, boolean busyUsers) {
        return run(new FaultSimulation(seed, factory, busyUsers, Kind.USUAL, null));
    }

    /** In a world of that kind. */
    static Verdict run(long seed, LoopFactory factory, Kind kind) {
        return run(new FaultSimulation(seed, factory, true, kind, SimReach.Mistake.NONE));
    }

    /** With a mistake where homes are within reach. */
    static Verdict run(long seed, LoopFactory factory, SimReach.Mistake mistake) {
        return run(new FaultSimulation(seed, factory, true, Kind.USUAL, mistake));
    }

    private static Verdict run(FaultSimulation simulation) {
        Instant begin = simulation.world.clock.now();
        String kind = simulation.kind == Kind.USUAL ? "" : "with " + simulation.kind + ": ";
        String broken = "";
        try {
            simulation.run();
        } catch (Broken what) {
            broken = kind + what.getMessage();
        } catch (RuntimeException failure) {
            StackTraceElement[] trace = failure.getStackTrace();
            broken = kind + failure + (trace.length > 0 ? " at " + trace[0] : "");
        } finally {
            if (simulation.world.reach != null) {
                simulation.world.reach.close();
            }
        }
        int launches = simulation.world.sites.values().stream()
                .mapToInt(site -> site.provider.machines.size())
                .sum();
        int attempts = simulation.users.jobs().stream()
                .flatMap(id -> simulation.world.disk.job(id).stream())
                .mapToInt(job -> AttemptNumbers.made(job.run().attempt()))
                .sum();
        return new Verdict(
                simulation.seed,
                broken,
                simulation.users.jobs().size(),
                simulation.kills,
                launches,
                attempts,
                Duration.between(begin, simulation.world.clock.now()).toSeconds(),
                simulation.world.drawn);
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
            if (notices != null) {
                notices.step(faulty);
            }
            if (faulty) {
                faults.step();
                lies.step();
                locks.step(users.jobs());
                pauses.step();
                if (world.clockSteps != null
                        && world.clockSteps.step()
                        && world.clockSteps.endsTheHead()
                        && loop != null) {
                    die();
                }
                if (unwritable != null) {
                    unwritable.step(users.jobs());
                }
            } else if (world.isFaulty()) {
                world.calm();
                store.killChance(unwritable == null ? 0 : 0.01);
            }
            if (restored != null && restored.isDue()) {
                putBack(restored);
            }
            advance(faulty);
            invariants.check(restored);
            if (step % DIRECTORS_CHECKED_EVERY == 0) {
                sick.check(world.disk.load(Instant.MIN));
                if (unwritable != null) {
                    unwritable.check(kills + 1);
                }
                if (restored != null && loop != null && !faulty) {
                    restored.checkMoney(loop, budget, livesSince, calmAt);
                }
            }
            if (!faulty && isOver()) {
                judge();
                return;
            }
            if (!faulty && !releasing && hasOnlyStandingNodes() && (restored == null || !restored.isAnyBusy())) {
                // Kept nodes end only when the head is told to release them.
                releasing = true;
            }
            if (releasing && loop != null) {
                loop.beginRelease();
            }
            if (!faulty && tight && world.clock.now().isAfter(calmAt.plusSeconds(300))) {
                return;
            }
            if (world.clock.now().isAfter(wellAt(calmAt).plus(CALM_LIMIT))) {
                throw new Broken("it did not come to an end: " + unfinished());
            }
        }
        throw new Broken("too many steps: " + unfinished());
    }

    /** The head is killed, the journal is replaced, and another head is started. */
    private void putBack(Restored moment) {
        if (loop != null) {
            die();
        }
        releasing = false;
        moment.putBack();
        users.putBack();
    }

    private Instant wellAt(Instant calmAt) {
        if (restored != null) {
            // A quarantine, and the time until somebody comes.
            return calmAt.plus(Duration.ofMinutes(15));
        }
        return unwritable == null ? sick.last(calmAt) : unwritable.last(calmAt);
    }

    /** Hours in which nothing but results is waited for go by in large steps. */
    private int stepMillis(boolean faulty) {
        if (!faulty && sick.isLong()) {
            return draw.between(500, 3_000);
        }
        boolean onlyResults = unwritable != null
                && !faulty
                && world.sites.values().stream()
                        .flatMap(site -> site.provider.machines.values().stream())
                        .noneMatch(SimProvider.Machine::isLive)
                && users.jobs().stream()
                        .flatMap(id -> world.disk.job(id).stream())
                        .filter(JobRecord::isLive)
                        .allMatch(job -> job.run().home() || job.jobState() == JobState.HELD);
        return onlyResults ? draw.between(20_000, 90_000) : draw.between(100, 900);
    }

    private void advance(boolean faulty) {
        world.step(stepMillis(faulty));
        if (pauses.isHeadPaused()) {
            livesSince = world.clock.now();
            return;
        }
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
                if (recoverer != null) {
                    recoverer.step(loop, journal);
                }
                loop.tick(world.headNow());
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
        if (world.reach != null) {
            world.reach.headDies();
        }
        if (effects != null) {
            effects.abandon();
            effects = null;
        }
        restartAt = world.clock.now().plusMillis(draw.between(0, draw.chance(0.1) ? 60_000 : 5_000));
    }

    private void start() {
        if (past != null && !past.begin(false, world.clock.now())) {
            boolean said = restored != null && restored.isNewEpochSaid();
            if (!said || !past.begin(true, world.clock.now())) {
                restartAt = world.clock.now().plusSeconds(2);
                return;
            }
        }
        if (restored != null) {
            restored.begun();
        }
        livesSince = world.clock.now();
        if (world.clockSteps != null) {
            world.clockSteps.begun(store);
        }
        SimEffects life = new SimEffects(world.clock, draw);
        effects = life;
        Journal memory = new Journal(store, Instant.MIN);
        if (world.reach != null) {
            world.reach.headBegins(memory);
        }
        LoopSettings settings = SimSetup.settings(world, budget);
        Ports ports = SimSetup.ports(world, life, draw);
        loop = switch (kind) {
            case ROLES ->
                factory.start(settings.with(SimImages.ROLES), memory, ports.with(new SimImages(world)), world::headNow);
            case NOTICED -> factory.start(settings.with(Notices.markets(world)), memory, ports, world::headNow);
            default -> factory.start(settings, memory, ports, world::headNow);
        };
        journal = memory;
    }

    private boolean isOver() {
        return !users.isWaiting() && unfinished().isEmpty() && (restored == null || restored.isPutBack());
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
            if (job.jobState() == JobState.DONE && !world.home.isWhole(job) && !isGivenUp(job)) {
                throw new Broken("job " + id + " is DONE and an output is not in its place");
            }
            if (job.jobState() == JobState.DONE && world.reach != null) {
                world.reach.judge(job);
            }
            if (!world.home.hasPublished(id)) {
                throw new Broken("job " + id + " is " + job.jobState() + " without its output (seed " + seed + ")");
            }
        }
    }

    private boolean isGivenUp(JobRecord job) {
        return unwritable != null && unwritable.isGivenUp(job);
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
