package org.spillway.slurm.hooks;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.head.rest.Caller;

/**
 * The talk between Slurm and the head: the burst-buffer hook, the filter of {@code sbatch}, and Slurm's own power
 * saving. Every call may come several times, also after a crash of either side.
 */
public interface SlurmApi {
    /** Whether this caller may speak for other users' jobs: root, and Slurm's own user. */
    boolean mayAct(Caller caller);

    /**
     * Whether the job's data is where it will run. The first call brings the lines, and makes the job one of ours.
     *
     * @param number Slurm's id of the job, digits
     * @param lines the top of its script, down to its first command; the head's own copy is taken when it has one
     */
    Stage dataIn(String number, String lines);

    /** Whether the nodes that Slurm gave the job are ready for it, its input included; a wait comes after some seconds. */
    Stage preRun(String number);

    /** Whether what the job has to bring home is in its places; a job that runs again has nothing to bring. */
    Stage dataOut(String number);

    /** Slurm is done with the job, or with one run of it: the head looks which. */
    Stage teardown(String number);

    /**
     * Judges a script before it is submitted, with its user's rights.
     *
     * @throws ApiException BAD_REQUEST with all that is wrong, each with its line
     */
    void check(Caller caller, SlurmScript script);

    /** Slurm would have these nodes powered up: nothing is bought for its word alone, but the scaler looks at once. */
    List<SlurmSlot> resume(List<String> names);

    /** Slurm would have these nodes powered down: those of ours are ended when nothing runs on them. */
    List<SlurmSlot> suspend(List<String> names);

    /** How far a step is. */
    sealed interface Stage {
        record Ready() implements Stage {}

        /** @param why a sentence for the job's user */
        record Wait(String why) implements Stage {}

        /** The stage will not come to an end by itself. @param why a sentence for the job's user */
        record Failed(String why) implements Stage {}
    }
}
