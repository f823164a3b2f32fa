package org.spillway.head.faultsim;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
        final Instant startedAt;
        final Instant endsAt;
        boolean ended;
        int exitCode;

        Run(String job, int attempt, Instant startedAt, Instant endsAt) {
            this.job = job;
            this.attempt = attempt;
            this.startedAt = startedAt;
            this.endsAt = endsAt;
        }
    }

    SimNode(SimProvider.Machine machine, Instant now) {
        this.machine = machine;
        this.nextContact = now;
    }

    boolean runsNow(String job) {
        return machine.isLive() && runs.values().stream().anyMatch(run -> run.job.equals(job) && !run.ended);
    }
}
