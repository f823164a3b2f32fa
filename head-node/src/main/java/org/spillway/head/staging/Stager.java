package org.spillway.head.staging;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.FileRefused;

/** Moves a job's data. Every call blocks, may be repeated, and goes on where an earlier one was cut off. */
public interface Stager {
    /**
     * Copies the job's input into the site and verifies it there.
     *
     * @return what was staged; null for a job without input
     * @throws FileRefused if the user may not read it; nothing but the user's own doing mends that
     */
    @Nullable
    Checksum stageIn(DirectorTarget director, JobRecord job) throws FileRefused, IOException, LinkDownException;

    /**
     * Copies the results of the job's attempt home, each into a hidden part file beside its destination, and verifies
     * them there. Nothing is visible yet, so that an attempt whose results are lost on the way can be made again.
     *
     * @throws FileRefused if the user may not write there, or there is no room
     */
    void bringHome(DirectorTarget director, JobRecord job) throws FileRefused, IOException, LinkDownException;

    /**
     * Puts each result in its place by a rename with the user's rights. Needs no site. What was put in its place
     * before, in this or an earlier life of the head, is left as it is.
     */
    void publish(JobRecord job) throws FileRefused, IOException;

    /** Removes all that is staged for a job in the site; nothing there is success. */
    void clean(DirectorTarget director, String job) throws IOException, LinkDownException;
}
