package org.spillway.head.loop.handover;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;

/**
 * Answers a workload manager that asks for the data of its jobs, by the key of a {@code ForeignJob} or by the manager's
 * own number of it. Loop thread only.
 */
public final class DataDesk {
    private final Sites sites;
    private final World world;
    private final JobMemory memory;
    private final ForeignJobs foreign;
    private final Function<String, Cause> waits;
    /** Who waits until the nodes of a job are ready for it, by what they call the job. */
    private final Map<String, List<CompletableFuture<DataAnswer>>> waiting = new HashMap<>();

    /** @param waits why a job waits, as last found out */
    public DataDesk(Sites sites, World world, JobMemory memory, ForeignJobs foreign, Function<String, Cause> waits) {
        this.sites = sites;
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

    /**
     * Whether the nodes that the job was given are ready for it, its input included. Completed when a tick finds that out,
     * with anything but a wait; whoever has waited enough completes it.
     */
    public CompletableFuture<DataAnswer> onNodes(String keyOrNumber) {
        DataAnswer now = prepared(keyOrNumber);
        if (!(now instanceof DataAnswer.Wait)) {
            return CompletableFuture.completedFuture(now);
        }
        var asked = new CompletableFuture<DataAnswer>();
        waiting.computeIfAbsent(keyOrNumber, _ -> new ArrayList<>()).add(asked);
        return asked;
    }

    /** Answers those who wait for nodes, as far as that is known now. */
    public void tell() {
        waiting.forEach((job, askers) -> {
            DataAnswer now = prepared(job);
            if (!(now instanceof DataAnswer.Wait)) {
                askers.forEach(asked -> asked.complete(now));
            }
            askers.removeIf(CompletableFuture::isDone);
        });
        waiting.values().removeIf(List::isEmpty);
    }

    /** The manager is done with the run: nobody need wait for its nodes before having looked at the job again. */
    public void left(String keyOrNumber) {
        List<CompletableFuture<DataAnswer>> askers = waiting.remove(keyOrNumber);
        if (askers != null) {
            askers.forEach(asked -> asked.complete(new DataAnswer.Wait("its manager is done with the run")));
        }
    }

    private DataAnswer prepared(String keyOrNumber) {
        JobRecord job = job(keyOrNumber).orElse(null);
        Report report = job == null || job.run().site().isEmpty()
                ? null
                : sites.of(job.run().site()).report;
        return DataAnswer.onNodes(job, report == null ? List.of() : report.jobs());
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
