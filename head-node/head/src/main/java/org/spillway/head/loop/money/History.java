package org.spillway.head.loop.money;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.limits.FairUse;
import org.spillway.head.limits.ResultSizes;
import org.spillway.head.limits.RunTimes;
import org.spillway.head.limits.Shares;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Resources;
import org.spillway.stage.Checksum;

/** Run times of ended jobs: the latest of the journal when a head starts, then each one that ends. Loop thread only. */
public final class History {
    /** Of the journal at a start; more would keep a head from starting soon. */
    private static final int READ_AT_START = 5000;

    private final RunTimes runTimes = new RunTimes();
    private final ResultSizes resultSizes = new ResultSizes();
    private final @Nullable Shares shares;
    private final @Nullable FairUse use;

    public History(Journal journal, @Nullable Shares shares) {
        this.shares = shares;
        this.use = shares == null ? null : new FairUse(shares.halfLife());
        List<JobRecord> ended = journal.store().endedJobs(OptionalInt.empty(), READ_AT_START);
        ended.reversed().forEach(this::ended);
        journal.onEnd(this::ended);
    }

    /** By which jobs are expected to take as long: alike in all but their owner. */
    private record Group(String queue, int nodes, Resources need, Duration walltime) {
        static Group of(JobSpec spec) {
            return new Group(spec.queue(), spec.nodes(), spec.resources(), spec.walltime());
        }
    }

    private void ended(JobRecord job) {
        Instant from = job.run().startedAt();
        Instant to = job.run().endedAt();
        if (from == null || to == null || !to.isAfter(from)) {
            return;
        }
        JobSpec spec = job.spec();
        if (job.jobState() != JobState.CANCELLED) {
            runTimes.ended(Group.of(spec), Duration.between(from, to));
            resultSizes.ended(Group.of(spec), left(job.run()));
        }
        if (use != null && shares != null) {
            use.ended(taker(spec, shares), spec.resources(), spec.nodes(), from, to);
        }
    }

    private static String taker(JobSpec spec, Shares shares) {
        return switch (shares.of()) {
            case QUEUE -> spec.queue();
            case ACCOUNT -> spec.terms().account();
        };
    }

    /** The 95th percentile of finished jobs that were alike, at most the walltime; the walltime where few are known. */
    public Duration expected(JobSpec spec) {
        return runTimes.percentile95(Group.of(spec))
                .filter(time -> time.compareTo(spec.walltime()) < 0)
                .orElse(spec.walltime());
    }

    /** How much finished jobs that were alike left, in all of their nodes; empty where none is known. */
    public OptionalLong resultBytes(JobSpec spec) {
        return resultSizes.percentile95(Group.of(spec));
    }

    /** @param running jobs that run now */
    public List<ClusterSnapshot.Share> shares(Iterable<JobRecord> running, List<Demand> demands, Instant now) {
        if (shares == null || use == null) {
            return List.of();
        }
        List<FairUse.Run> runs = new ArrayList<>();
        for (JobRecord job : running) {
            JobSpec spec = job.spec();
            runs.add(new FairUse.Run(taker(spec, shares), spec.resources(), spec.nodes(), job.since()));
        }
        List<String> waiting = demands.stream()
                .map(demand -> switch (shares.of()) {
                    case QUEUE -> demand.queue();
                    case ACCOUNT -> demand.terms().account();
                })
                .toList();
        return use.shares(shares, runs, waiting, now);
    }

    /** Bytes that the job's ended parts left in the site. */
    public static long left(JobRun run) {
        long bytes = 0;
        for (JobRun.Rank rank : run.ranks()) {
            JobRun.End end = rank.end();
            Checksum results = end == null ? null : end.results();
            bytes += results == null ? 0 : results.bytes();
        }
        return bytes;
    }
}
