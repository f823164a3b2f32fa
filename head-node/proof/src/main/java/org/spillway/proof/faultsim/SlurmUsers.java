package org.spillway.proof.faultsim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.policy.Resources;

/** Users of {@link SimSlurm}, and its administrators: they submit, hold, cancel, requeue, and restart it. */
final class SlurmUsers {
    private static final int MOST_JOBS = 12;

    private final SimWorld world;
    private final SimSlurm slurm;
    private final Draw draw;
    private final Draw kills;
    private final boolean killed;

    /** @param kills which seeds have an administrator with a heavy hand, and when it strikes */
    SlurmUsers(SimWorld world, SimSlurm slurm, Draw draw, Draw kills) {
        this.world = world;
        this.slurm = slurm;
        this.draw = draw;
        this.kills = kills;
        this.killed = kills.chance(0.5);
    }

    void begin() {
        for (int i = draw.between(1, 5); i > 0; i--) {
            submit();
        }
    }

    /** @param journal of the head; null while there is none */
    void step(@Nullable Journal journal, boolean faulty) {
        if (!faulty) {
            if (draw.chance(0.05)) {
                slurm.jobs.values().forEach(slurm::release);
            }
            return;
        }
        if (killed && kills.chance(0.02)) {
            slurm.kill();
        }
        if (draw.chance(0.01)) {
            for (int i = draw.between(1, 4); i > 0 && slurm.all.size() < MOST_JOBS; i--) {
                submit();
            }
        }
        if (draw.chance(0.03)) {
            change();
        }
        if (draw.chance(0.004)) {
            slurm.awayUntil = world.clock.now().plusMillis(draw.between(500, draw.chance(0.3) ? 40_000 : 5000));
        }
        if (journal != null && draw.chance(0.004)) {
            cancelHere(journal);
        }
    }

    private void change() {
        switch (draw.between(0, 7)) {
            case 0, 1, 2 ->
                one(job -> job.started.containsAll(job.nodes()) && !job.nodes().isEmpty(), slurm::breakOff);
            case 3 ->
                one(job -> job.status instanceof Status.Waiting, job -> job.status = new Status.Held("JobHeldUser"));
            case 4 -> one(job -> job.status instanceof Status.Held, slurm::release);
            case 5 -> one(job -> !job.isEnded(), job -> slurm.end(job, 0, true));
            case 6 -> {
                if (draw.chance(0.3)) {
                    one(job -> !job.isEnded(), slurm::forget);
                }
            }
            default -> one(job -> job.status instanceof Status.Waiting, slurm::runElsewhere);
        }
    }

    private interface Deed {
        void on(SimSlurmJob job);
    }

    /** Runs on nodes that are not reached cannot be ended: Slurm waits for them. */
    private void one(Predicate<SimSlurmJob> which, Deed deed) {
        List<SimSlurmJob> fit = slurm.jobs.values().stream()
                .filter(job -> which.test(job) && slurm.isReached(job))
                .toList();
        if (!fit.isEmpty()) {
            deed.on(fit.get(draw.between(0, fit.size() - 1)));
        }
    }

    private void cancelHere(Journal journal) {
        List<SimSlurmJob> known = List.copyOf(slurm.all.values());
        String id = SimSlurmHooks.id(known.get(draw.between(0, known.size() - 1)));
        journal.liveJob(id)
                .filter(job -> !job.run().cancelled())
                .ifPresent(job ->
                        journal.commit(world.clock.now(), job.with(job.run().withCancelled())));
    }

    private void submit() {
        int number = slurm.all.size();
        List<String> sites = sites();
        int most =
                sites.stream().mapToInt(site -> world.site(site).maxNodes).min().orElse(1);
        slurm.submit(new ForeignJob.Facts(
                "job" + number,
                new JobSpec.Owner("u", 1000, 1000),
                "q",
                sites,
                new JobSpec.Need(
                        Resources.of(draw.between(1, SimProvider.CPUS), 1L << 30, 0),
                        draw.chance(0.7) ? 1 : draw.between(1, most),
                        Duration.ofSeconds(60)),
                draw.between(0, 1),
                draw.chance(0.9),
                new JobSpec.Data(
                        draw.chance(0.7) ? List.of(new JobSpec.Input("/home/u/in", "")) : List.of(),
                        List.of(new JobSpec.Output("out", "/home/u/out-" + number, false, false)),
                        "/home/u"),
                world.clock.now(),
                JobSpec.Terms.NONE));
    }

    private List<String> sites() {
        List<String> all = new ArrayList<>(world.sites.keySet());
        Collections.rotate(all, draw.between(0, all.size() - 1));
        List<String> some = all.subList(0, draw.chance(0.4) ? 1 : draw.between(1, all.size()));
        return some.stream().allMatch(site -> world.site(site).mute)
                ? List.of(some.getFirst(), "site0")
                : List.copyOf(some);
    }
}
