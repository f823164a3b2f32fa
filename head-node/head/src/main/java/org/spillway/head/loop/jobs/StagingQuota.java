package org.spillway.head.loop.jobs;

import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.cause.WaitCause.WaitFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.World;

/** Whether a user's jobs leave room for one more input in a site's staging space. Loop thread only. */
public final class StagingQuota {
    /** The verdict on a job. */
    sealed interface Verdict {
        record Room() implements Verdict {}

        /** Others have to end first, or its size is not known yet. */
        record Wait(Cause why) implements Verdict {}

        /** The input is more than may ever be there. @param sentence for its user, without names of files */
        record TooMuch(String sentence) implements Verdict {}
    }

    private static final Verdict ROOM = new Verdict.Room();

    private final World world;
    private final JobMemory memory;

    StagingQuota(World world, JobMemory memory) {
        this.world = world;
        this.memory = memory;
    }

    Verdict judge(JobRecord job) {
        long most = world.settings().limits().stagedPerUserBytes();
        if (most == Long.MAX_VALUE) {
            return ROOM;
        }
        OptionalLong known = memory.transfers().inputBytesIfKnown(job.id());
        if (known.isEmpty()) {
            return new Verdict.Wait(WaitFact.INPUT_UNSIZED);
        }
        long needed = known.getAsLong();
        if (needed > most) {
            return new Verdict.TooMuch("its " + needed + " bytes are more than the " + most
                    + " that one user's jobs may have in a site's staging space (staging.perUser)");
        }
        long there = there(job);
        return needed <= most - there
                ? ROOM
                : new Verdict.Wait(new WaitCause.SpaceFull(job.run().site(), there, most, needed));
    }

    /** Bytes of a checkpoint that lies there, or has to come there before its job goes on. */
    private static long checkpoint(JobRun run, String site) {
        Reclaimed left = run.reclaimed();
        boolean isThere =
                left != null && (left.site().equals(site) || run.site().equals(site));
        return left != null && isThere ? left.bytes() : 0;
    }

    /** Bytes of this user that lie there or are on the way. What tasks of an array share is there once. */
    private long there(JobRecord job) {
        long bytes = 0;
        Set<JobRun.Staged> counted = new HashSet<>();
        for (JobRecord other : world.journal().jobs()) {
            if (other.spec().uid() != job.spec().uid()) {
                continue;
            }
            bytes += checkpoint(other.run(), job.run().site());
            if (other.id().equals(job.id())
                    || !other.run().site().equals(job.run().site())) {
                continue;
            }
            JobRun.Staged staged = other.run().staged();
            if (staged != null && staged.bundle() != null) {
                bytes += staged.listing() == null || counted.add(staged)
                        ? staged.bundle().bytes()
                        : 0;
            } else if (world.ports()
                    .effects()
                    .isUnderWay(StagingTurns.stageInKey(other.id(), other.run().site()))) {
                bytes += memory.transfers().inputBytes(other.id());
            }
        }
        return bytes;
    }
}
