package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;

/** A job of the simulated Slurm, with what is true of it. */
final class SimSlurmJob {
    final String key;
    final String number;
    final ForeignJob.Facts facts;
    Status status = new Status.Waiting("Resources");
    int restarts;
    /** The count of runs: forgotten ones are among them. */
    int run;
    /** Runs that came to their own end, also when slurmctld has forgotten that. */
    final Set<Integer> endedRuns = new TreeSet<>();

    /** Nodes whose daemon has seen a run of it that is forgotten: they let the next one pass without its order. */
    final Set<String> remembering = new TreeSet<>();

    /** Whether the head has said of an end which counts as good here that it was none: its exit code is another since. */
    boolean denied;

    /** Whether it was ended once more than it knows. */
    boolean forgotEnd;

    boolean staged;
    /** Set by the head: the one site where its input lies; empty for any. */
    String site = "";
    /** Nodes on which processes of the present run were started. */
    final Set<String> started = new TreeSet<>();

    /** The head's attempts: which run each of them is. */
    final Map<Integer, Integer> runOfAttempt = new HashMap<>();

    @Nullable
    Instant endsAt;

    @Nullable
    Instant endedAt;

    /** Of a job that has ended: what it had before. */
    Status.@Nullable Allocated had;

    /** When it finds that a run whose end it has forgotten is not there. */
    @Nullable
    Instant purgedAt;

    @Nullable
    Instant allocatedAt;

    @Nullable
    Instant nodeLostAt;

    @Nullable
    Instant leftAt;

    SimSlurmJob(String key, String number, ForeignJob.Facts facts) {
        this.key = key;
        this.number = number;
        this.facts = facts;
    }

    boolean hasData() {
        return !facts.data().inputs().isEmpty();
    }

    List<String> nodes() {
        return status instanceof Status.Allocated(var nodes, int count, var since) ? nodes : List.of();
    }

    boolean isEnded() {
        return status instanceof Status.Ended;
    }
}
