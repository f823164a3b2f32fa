package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.policy.Money;

/**
 * A seed's run with a workload manager of its own, in which everything may fail as in {@link FaultSimulation}, and the
 * manager too; then calm, in which every job must end here as it has ended there, its output published once and of the
 * run that ended, and no instance left.
 */
final class SlurmSimulation {
    private static final Duration CALM_LIMIT = Duration.ofMinutes(25);
    private static final int STEPS_LIMIT = 40_000;
    private static final Money BUDGET = Money.parse("1000");

    private final LoopFactory factory;
    private final Draw draw;
    private final SimWorld world;
    private final SimSlurm slurm;
    private final SimStore store;
    private final SlurmUsers users;
    private final Invariants invariants;
    private @Nullable Loop loop;
    private @Nullable Journal journal;
    private @Nullable SimEffects effects;
    private @Nullable SimSlurmPort port;
    private Instant restartAt;
    private int kills;

    private SlurmSimulation(long seed, LoopFactory factory) {
        this.factory = factory;
        this.draw = new Draw(seed ^ 0x510_0000L);
        this.world = new SimWorld(draw);
        this.slurm = world.withSlurm(new Draw(seed + 77));
        this.store = new SimStore(world.disk, draw);
        this.users = new SlurmUsers(world, slurm, new Draw(~seed), new Draw(seed + 0xDEAD));
        this.invariants = new Invariants(world, BUDGET);
        this.restartAt = world.clock.now();
    }

    /** Runs a seed to its end; the same seed gives the same verdict. */
    static Verdict run(long seed, LoopFactory factory) {
        SlurmSimulation simulation = new SlurmSimulation(seed, factory);
        Instant begin = simulation.world.clock.now();
        String broken = "";
        try {
            simulation.run();
        } catch (Broken what) {
            broken = "with Slurm: " + what.getMessage();
        } catch (RuntimeException failure) {
            StackTraceElement[] trace = failure.getStackTrace();
            broken = "with Slurm: " + failure + (trace.length > 0 ? " at " + trace[0] : "");
        }
        int launches = simulation.world.sites.values().stream()
                .mapToInt(site -> site.provider.machines.size())
                .sum();
        int attempts = simulation.slurm.all.values().stream()
                .mapToInt(job -> job.runOfAttempt.size())
                .sum();
        return new Verdict(
                seed,
                broken,
                simulation.slurm.all.size(),
                simulation.kills,
                launches,
                attempts,
                Duration.between(begin, simulation.world.clock.now()).toSeconds(),
                simulation.world.drawn);
    }

    private void run() {
        Faults faults = new Faults(world, draw);
        users.begin();
        store.killChance(0.03);
        Instant calmAt = world.clock.now().plusSeconds(draw.between(20, 120));
        for (int step = 0; step < STEPS_LIMIT; step++) {
            boolean faulty = world.clock.now().isBefore(calmAt);
            if (faulty) {
                faults.step();
            } else if (world.isFaulty()) {
                world.calm();
                store.killChance(0);
            }
            advance(faulty);
            invariants.check(null);
            if (!faulty && haveJobsEnded()) {
                if (loop != null) {
                    loop.beginRelease();
                }
                if (isAllGone()) {
                    slurm.all.values().forEach(this::judge);
                    return;
                }
            }
            if (world.clock.now().isAfter(calmAt.plus(CALM_LIMIT))) {
                throw new Broken("it did not come to an end: " + unfinished());
            }
        }
        throw new Broken("too many steps: " + unfinished());
    }

    private void advance(boolean faulty) {
        world.step(draw.between(100, 900));
        guarded(() -> users.step(journal, faulty));
        if (loop == null) {
            if (!world.clock.now().isBefore(restartAt)) {
                guarded(this::start);
            }
            return;
        }
        if (faulty && draw.chance(0.006)) {
            die();
            return;
        }
        guarded(() -> {
            if (effects != null) {
                effects.step();
            }
            if (port != null) {
                port.step();
            }
            Loop living = loop;
            if (living != null) {
                living.tick(world.clock.now());
                slurm.hooks.ask(new Hooks(living));
            }
        });
    }

    private record Hooks(Loop loop) implements SimSlurmHooks.Head {
        @Override
        public DataAnswer dataIn(String number) {
            return loop.data().in(number);
        }

        @Override
        public DataAnswer dataOut(String number) {
            return loop.data().out(number);
        }
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
        port = null;
        if (effects != null) {
            effects.abandon();
            effects = null;
        }
        restartAt = world.clock.now().plusMillis(draw.between(0, draw.chance(0.1) ? 60_000 : 5_000));
    }

    private void start() {
        SimEffects life = new SimEffects(world.clock, draw);
        SimSlurmPort manager = new SimSlurmPort(slurm, world.clock, draw);
        effects = life;
        port = manager;
        Journal memory = new Journal(store, Instant.MIN);
        loop = factory.start(
                SimSetup.settings(world, BUDGET), memory, SimSetup.ports(world, life, draw, manager), world.clock::now);
        journal = memory;
    }

    private boolean haveJobsEnded() {
        return slurm.jobs.values().stream().allMatch(job -> job.leftAt != null)
                && slurm.all.values().stream()
                        .noneMatch(job -> world.disk
                                .job(SimSlurmHooks.id(job))
                                .filter(JobRecord::isLive)
                                .isPresent());
    }

    private boolean isAllGone() {
        return world.sites.values().stream()
                .flatMap(site -> site.provider.machines.values().stream())
                .noneMatch(SimProvider.Machine::isLive);
    }

    private String unfinished() {
        StringBuilder text = new StringBuilder();
        for (SimSlurmJob job : slurm.all.values()) {
            String here = world.disk
                    .job(SimSlurmHooks.id(job))
                    .map(record -> record.jobState() + " (" + record.reason() + ", "
                            + (loop == null ? "" : loop.standing(record).cause().text()) + ")")
                    .orElse("unknown");
            boolean over = job.leftAt != null
                    && world.disk
                            .job(SimSlurmHooks.id(job))
                            .filter(JobRecord::isLive)
                            .isEmpty();
            if (!over) {
                text.append(job.number)
                        .append(' ')
                        .append(slurm.jobs.containsKey(job.key) ? job.status : "forgotten")
                        .append(", here ")
                        .append(here)
                        .append("; ");
            }
        }
        world.sites
                .values()
                .forEach(site -> site.provider.machines.values().stream()
                        .filter(SimProvider.Machine::isLive)
                        .forEach(machine -> text.append(machine.id).append(' ')));
        return text.toString();
    }

    private void judge(SimSlurmJob job) {
        String id = SimSlurmHooks.id(job);
        JobRecord record = world.disk.job(id).orElse(null);
        if (record == null) {
            if (!job.runOfAttempt.isEmpty()) {
                throw new Broken("job " + id + " ran and was never journalled");
            }
            return;
        }
        if (!(job.status instanceof Status.Ended end)) {
            boolean published = record.run().published() != null;
            expect(record, record.jobState() != JobState.DONE || published, "Slurm has forgotten it");
            return;
        }
        if (!slurm.jobs.containsKey(job.key) && tells(record, JobFact.UNKNOWN_TO_MANAGER)) {
            expect(record, record.jobState() != JobState.DONE, "nobody knows how it ended");
            return;
        }
        int code = end.exitCode();
        if (tells(record, JobCause.NodeRefused.class) || tells(record, JobCause.Unstageable.class)) {
            expect(record, record.jobState() == JobState.FAILED, "it could not run");
        } else if (record.run().cancelled()) {
            // The job's user may have said so here when it was over there.
            expect(record, record.jobState() != JobState.DONE, "it was cancelled");
        } else if (job.forgotEnd && record.jobState() == JobState.DONE) {
            boolean elsewhere = end.place() == Status.Place.ELSEWHERE;
            expect(record, elsewhere || record.run().published() != null, "nothing of it is published");
        } else if (end.cancelled()) {
            expect(record, record.jobState() == JobState.CANCELLED, "it was cancelled in Slurm");
        } else if (code != 0) {
            expect(record, record.jobState() == JobState.FAILED, "it ended with " + code);
        } else if (record.jobState() == JobState.DONE) {
            expect(record, end.place() != Status.Place.OURS || world.home.hasPublished(id), "its output is not there");
        } else {
            // A node or a director went with what it had left: then it is run again, if it may be.
            boolean lost = tells(record, JobCause.ResultsNotSent.class)
                    || tells(record, JobFact.UNATTENDED)
                    || tells(record, JobFact.RESULTS_LOST);
            boolean may = job.facts.requeue() && slurm.jobs.containsKey(job.key);
            expect(record, record.jobState() == JobState.FAILED && lost && !may, "it ended well in Slurm");
        }
    }

    private static boolean tells(JobRecord job, Cause of) {
        return job.cause().all().anyMatch(of::equals);
    }

    private static boolean tells(JobRecord job, Class<? extends Cause> of) {
        return job.cause().all().anyMatch(of::isInstance);
    }

    private static void expect(JobRecord job, boolean isSo, String why) {
        if (!isSo) {
            throw new Broken("job " + job.id() + " ended as " + job.jobState() + " (" + job.reason() + "), and " + why);
        }
    }
}
