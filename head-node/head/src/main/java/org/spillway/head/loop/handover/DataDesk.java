package org.spillway.head.loop.handover;

import java.util.Optional;
import java.util.function.Function;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.World;

/**
 * Answers a workload manager that asks for the data of its jobs, by the key of a {@code ForeignJob} or by the manager's
 * own number of it. Loop thread only.
 */
public final class DataDesk {
    private final World world;
    private final JobMemory memory;
    private final ForeignJobs foreign;
    private final Function<String, Cause> waits;

    /** @param waits why a job waits, as last found out */
    public DataDesk(World world, JobMemory memory, ForeignJobs foreign, Function<String, Cause> waits) {
        this.world = world;
        this.memory = memory;
        this.foreign = foreign;
        this.waits = waits;
    }

    /** Whether the job's input is where the job is to run. */
    public DataAnswer in(String keyOrNumber) {
        return job(keyOrNumber)
                .map(job -> DataAnswer.in(job, sentence(job), foreign.isHeldThere(job.id())))
                .orElseGet(() -> DataAnswer.in(null, "", false));
    }

    /** Whether all that the job has left is in its places. */
    public DataAnswer out(String keyOrNumber) {
        return job(keyOrNumber)
                .map(job -> DataAnswer.out(job, sentence(job), foreign.mayHaveEnded(job), foreign.wasHeard()))
                .orElseGet(() -> DataAnswer.out(null, "", false, foreign.wasHeard()));
    }

    /** The job, live or ended. */
    public Optional<JobRecord> job(String keyOrNumber) {
        String id = foreign.find(keyOrNumber);
        return id == null ? Optional.empty() : world.journal().job(id);
    }

    private String sentence(JobRecord job) {
        return HandOver.sentence(memory, job, waits.apply(job.id()));
    }
}
