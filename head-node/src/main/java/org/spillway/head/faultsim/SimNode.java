package org.spillway.head.faultsim;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.JobOrder;

/** What runs in a node's instance. */
final class SimNode {
    final SimProvider.Machine machine;

    @Nullable
    String id;

    @Nullable
    Instant joinedAt;

    @Nullable
    Instant readyAt;

    @Nullable
    Instant leaseUntil;

    @Nullable
    Instant cutUntil;

    Instant nextContact;
    final Map<String, Run> runs = new HashMap<>();

    /** One attempt of one job here. */
    static final class Run {
        final String job;
        final int attempt;
        final int cpus;
        final Instant startedAt;
        final Instant endsAt;
        boolean ended;
        /** Why the node would not run it; empty when it did. */
        String refused = "";

        int exitCode;

        /** Of a job that another than the node itself runs; null for any other. */
        JobOrder.@Nullable Foreign foreign;

        /** Which of its runs there. */
        int foreignRun;

        Run(String job, int attempt, int cpus, Instant startedAt, Instant endsAt) {
            this.job = job;
            this.attempt = attempt;
            this.cpus = cpus;
            this.startedAt = startedAt;
            this.endsAt = endsAt;
        }
    }

    SimNode(SimProvider.Machine machine, Instant now) {
        this.machine = machine;
        this.nextContact = now;
    }

    boolean runsOther(String job, int attempt) {
        return machine.isLive()
                && runs.values().stream()
                        .anyMatch(run ->
                                run.job.equals(job) && run.attempt != attempt && !run.ended && run.refused.isEmpty());
    }

    int cpusUsed() {
        return runs.values().stream()
                .filter(run -> !run.ended)
                .mapToInt(run -> run.cpus)
                .sum();
    }
}
