package org.spillway.slurm.hooks;

import java.util.Optional;
import org.spillway.slurm.hooks.SlurmApi.Stage;

/** The loop and Slurm's queue, as the desk needs them. Called by many threads at once. */
public interface SlurmHooks {
    /** The lines of a job that Slurm asks the data of. @return why there is no room for them now; empty when they are kept */
    Optional<String> lines(String number, String lines);

    Stage dataIn(String number);

    Stage preRun(String number);

    Stage dataOut(String number);

    Stage teardown(String number);

    /** The head's id of the node that has the name; empty for none. */
    Optional<String> nodeOf(String slot);

    /** The loop looks at once at what there is to do. */
    void wake();

    /** The node gets no further jobs and is ended when nothing runs on it. @return what was done, in a few words */
    String remove(String node);
}
