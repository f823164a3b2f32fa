package org.spillway.proof.faultsim;

import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.workload.ForeignJob.Status;

/** The hooks of the simulated Slurm, which ask the head for the data of each job and let it go. */
final class SimSlurmHooks {
    private static final String UNSTAGED = "burst buffer: ";

    /** Asks the head of the data of each job, like the hooks do. */
    interface Head {
        DataAnswer dataIn(String number);

        DataAnswer dataOut(String number);
    }

    private final SimSlurm slurm;
    private final SimClock clock;
    private final MemoryJournalStore disk;

    SimSlurmHooks(SimSlurm slurm, SimClock clock, MemoryJournalStore disk) {
        this.slurm = slurm;
        this.clock = clock;
        this.disk = disk;
    }

    void ask(Head head) {
        if (slurm.isAway()) {
            return;
        }
        for (SimSlurmJob job : slurm.jobs.values()) {
            if (job.status instanceof Status.Waiting && job.hasData() && !job.staged) {
                switch (head.dataIn(job.number)) {
                    case DataAnswer.Ready ready -> job.staged = true;
                    case DataAnswer.Wait wait -> {}
                    case DataAnswer.Failed(String why) -> job.status = new Status.Held(UNSTAGED + why);
                }
            } else if (job.isEnded() && job.leftAt == null) {
                switch (head.dataOut(job.number)) {
                    case DataAnswer.Ready ready -> leave(job, false);
                    case DataAnswer.Wait wait -> {}
                    case DataAnswer.Failed failed -> leave(job, true);
                }
            }
        }
    }

    /** The head's. */
    static String id(SimSlurmJob job) {
        return job.key.replaceAll("[^A-Za-z0-9]", "-");
    }

    private void leave(SimSlurmJob job, boolean lost) {
        String id = id(job);
        boolean live = disk.job(id).filter(record -> record.isLive()).isPresent();
        // Results of an earlier run are nobody's, and of a job that was ended between two there is nothing else.
        if (live && !lost && job.runOfAttempt.containsValue(job.run)) {
            boolean published = disk.job(id)
                    .filter(record -> record.run().published() != null)
                    .isPresent();
            if (published) {
                job.leftAt = clock.now();
                return;
            }
            throw new Broken("job " + id + " may leave Slurm before its results are in their places");
        }
        job.leftAt = clock.now();
    }

    /** Published results must be of the run that ended. */
    void published(String id, int attempt) {
        for (SimSlurmJob job : slurm.all.values()) {
            if (id(job).equals(id)) {
                Integer run = job.runOfAttempt.get(attempt);
                if (run != null && !job.endedRuns.contains(run)) {
                    throw new Broken("job " + id + " published a run that was broken off");
                }
            }
        }
    }
}
