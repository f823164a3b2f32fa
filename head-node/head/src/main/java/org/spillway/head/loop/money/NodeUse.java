package org.spillway.head.loop.money;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.policy.Resources;

/** A job's time on a node: of its latest attempt, as the journal keeps no other. Pure. */
record NodeUse(Bill.Owner owner, Resources resources, boolean whole, Instant from, Instant to) {
    /** A whole node, in the unit of {@link #share}. */
    static final long WHOLE = 1_000_000;

    static Map<String, List<NodeUse>> byNode(Collection<JobRecord> jobs, Instant now) {
        Map<String, List<NodeUse>> all = new HashMap<>();
        for (JobRecord job : jobs) {
            JobSpec spec = job.spec();
            Bill.Owner owner = new Bill.Owner(spec.user(), spec.terms().account(), spec.project());
            for (JobRun.Rank rank : job.run().ranks()) {
                Instant from = from(job, rank);
                Instant to = to(job, rank, now);
                if (from != null && to.isAfter(from)) {
                    all.computeIfAbsent(rank.node(), node -> new ArrayList<>())
                            .add(new NodeUse(
                                    owner, spec.resources(), spec.need().whole(), from, to));
                }
            }
        }
        return all;
    }

    private static @Nullable Instant from(JobRecord job, JobRun.Rank rank) {
        JobRun.End end = rank.end();
        if (end != null) {
            return end.started();
        }
        return job.jobState() == JobState.RUNNING ? job.since() : job.run().startedAt();
    }

    private static Instant to(JobRecord job, JobRun.Rank rank, Instant now) {
        JobRun.End end = rank.end();
        if (end != null) {
            return end.ended();
        }
        return job.jobState() == JobState.RUNNING && !rank.lost() ? now : job.since();
    }

    /** The largest of its shares of a node, in millionths, 0 to {@link #WHOLE}. */
    long share(Resources node) {
        if (whole) {
            return WHOLE;
        }
        long most = Math.max(
                share(resources.cpus(), node.cpus()),
                Math.max(share(resources.memoryBytes(), node.memoryBytes()), share(resources.gpus(), node.gpus())));
        return Math.min(most, WHOLE);
    }

    private static long share(long part, long all) {
        return part <= 0
                ? 0
                : part >= all
                        ? WHOLE
                        : BigInteger.valueOf(part)
                                .multiply(BigInteger.valueOf(WHOLE))
                                .divide(BigInteger.valueOf(all))
                                .longValueExact();
    }
}
