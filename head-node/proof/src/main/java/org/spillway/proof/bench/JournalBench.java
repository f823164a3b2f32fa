package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.policy.Resources;
import org.spillway.proof.faultsim.BusySimulation;
import org.spillway.stage.worker.Identity;

/** The cost of ten thousand jobs to a head: memory, listings, and the time of its loop. */
final class JournalBench {
    private static final int JOBS = 10_000;
    private static final int NODES = 200;
    private static final int TICKS = 100;
    private static final int LISTINGS = 20;
    private static final int IN_A_WRITE = 1000;
    private static final int SCRIPT_BYTES = 1000;
    private static final Duration SETTLING = Duration.ofSeconds(60);
    private static final double MEBI = 1 << 20;

    private final Path launcher;

    JournalBench(Path launcher) {
        this.launcher = launcher;
    }

    /** The head has no money, so that all of them go on to wait: nothing else is measured along with it. */
    List<Figure> measure() throws IOException, InterruptedException {
        List<Figure> figures = new ArrayList<>();
        try (var head = HeadUnderTest.start(launcher, false, JournalBench::fill)) {
            HeadUnderTest.await("all jobs wait for a node", SETTLING, () -> isSettled(head));
            figures.addAll(list(head, "/jobs?limit=" + JOBS, "journal.list", JOBS + " live jobs"));
            figures.addAll(list(
                    head,
                    "/jobs?ended=true&limit=" + JOBS,
                    "journal.list.ended",
                    JOBS + " of " + 2 * JOBS + " jobs, half of all ended"));
            figures.addAll(Benchmarks.watch(
                    head, "journal", JOBS + " live and " + JOBS + " ended jobs, after the listings", 300));
        }
        figures.addAll(ticks());
        return figures;
    }

    private static boolean isSettled(HeadUnderTest head) {
        List<JobView> jobs = head.client().list("/jobs?limit=" + JOBS, "jobs", JobView.class);
        return jobs.size() == JOBS && jobs.stream().allMatch(job -> job.state() == JobState.QUEUED);
    }

    private static List<Figure> list(HeadUnderTest head, String path, String name, String what) {
        List<Double> millis = new ArrayList<>();
        int bytes = 0;
        for (int i = 0; i < LISTINGS; i++) {
            long one = System.nanoTime();
            bytes = head.client().get(path).length;
            millis.add((System.nanoTime() - one) / 1e6);
        }
        var samples = Samples.of(millis);
        String how = LISTINGS + " listings over the socket of " + what;
        return List.of(
                Figure.below(300, name + ".median", samples.median(), "ms", how),
                Figure.plain(name + ".p95", samples.p95(), "ms", how),
                Figure.plain(name + ".bytes", bytes / MEBI, "MiB", "one such answer"));
    }

    private static List<Figure> ticks() {
        List<BusySimulation.Cost> costs = BusySimulation.ticks(JOBS, NODES, TICKS);
        String how = TICKS + " ticks over " + JOBS + " waiting jobs, " + NODES + " nodes, simulated";
        var wall = Samples.of(costs.stream().map(cost -> cost.wallNanos() / 1e6).toList());
        var cpu = Samples.of(costs.stream().map(cost -> cost.cpuNanos() / 1e6).toList());
        return List.of(
                Figure.below(50, "tick.median", wall.median(), "ms", how),
                Figure.plain("tick.p95", wall.p95(), "ms", how),
                Figure.plain("tick.cpu.median", cpu.median(), "ms", "of which on a core"));
    }

    private static void fill(Path state) throws IOException {
        try (JournalStore store = SqliteJournalStore.open(state)) {
            Instant now = Instant.now();
            int uid = Identity.ownUid();
            List<JobRecord> batch = new ArrayList<>();
            for (int i = 0; i < 2 * JOBS; i++) {
                batch.add(job(
                        Long.toString(store.nextSequence()),
                        uid,
                        i < JOBS ? JobState.SUBMITTED : JobState.DONE,
                        1 + i % 4,
                        now.minusMillis(2L * JOBS - i)));
                if (batch.size() == IN_A_WRITE) {
                    store.write(now, batch, List.of());
                    batch.clear();
                }
            }
        }
    }

    private static JobRecord job(String id, int uid, JobState state, int cpus, Instant submittedAt) {
        JobSpec spec = JobSpec.of(draft -> {
            draft.name = "bench-" + id;
            draft.owner = new JobSpec.Owner(System.getProperty("user.name"), uid, uid);
            draft.queue = "east";
            draft.sites = List.of("east");
            draft.program = new JobSpec.Program("#!/bin/sh\n# " + id + "x".repeat(SCRIPT_BYTES), List.of(), Map.of());
            draft.need = new JobSpec.Need(Resources.of(cpus, 1L << 30, 0), 1, Duration.ofMinutes(10));
            draft.data = new JobSpec.Data(
                    List.of(), List.of(new JobSpec.Output("out", "/tmp/bench-" + id, false, false)), "/tmp");
            draft.idempotencyKey = JobSpec.Key.of("bench-" + id);
            draft.submittedAt = submittedAt;
        });
        return new JobRecord(id, spec, state, Cause.NONE, submittedAt, JobRun.NONE);
    }
}
