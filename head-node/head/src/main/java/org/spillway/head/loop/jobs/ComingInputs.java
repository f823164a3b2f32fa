package org.spillway.head.loop.jobs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.api.JobState;
import org.spillway.director.wire.Directive;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.World;
import org.spillway.head.workload.ReleasedJob;

/**
 * Inputs that are on their way to a site, for the nodes that are likely to get their jobs: these fetch what has come while
 * the rest is on the line. A guess: it is in no journal, a node that fetched for nothing keeps what it has for the next
 * job, and one that was not asked fetches all of it when its job begins. Loop thread only.
 */
public final class ComingInputs {
    private ComingInputs() {}

    /** By node. */
    public static Map<String, List<Directive.Coming>> of(World world, String site) {
        Map<String, List<Directive.Coming>> coming = new HashMap<>();
        for (JobRecord job : world.journal().jobs(JobState.STAGING_IN)) {
            boolean isComing = job.run().site().equals(site)
                    && !ForeignJobs.isForeign(job)
                    && world.ports().effects().isUnderWay(StagingTurns.stageInKey(job.id(), site));
            if (isComing) {
                for (String node : world.ports().workload().wouldGive(released(world, job, 0))) {
                    coming.computeIfAbsent(node, any -> new ArrayList<>())
                            .add(new Directive.Coming(
                                    job.id(),
                                    job.spec().uid(),
                                    job.spec().gid(),
                                    job.spec().user()));
                }
            }
        }
        return coming;
    }

    /** As a workload manager is told of it. @param attempts that it has had */
    static ReleasedJob released(World world, JobRecord job, int attempts) {
        return new ReleasedJob(
                job.id(),
                job.run().site(),
                job.spec().resources(),
                job.spec().nodes(),
                job.spec().priority(),
                job.spec().submittedAt(),
                attempts,
                job.spec().foreign(),
                job.run().ranks().stream()
                        .filter(rank -> !rank.isOver())
                        .map(JobRun.Rank::node)
                        .toList(),
                new ReleasedJob.Fit(
                        world.settings().roles().of(job),
                        world.settings().markets().of(job.spec())));
    }
}
