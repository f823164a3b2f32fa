package org.spillway.head.tenant;

import java.time.Duration;
import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.loop.port.Stager;

/** The head, as a tenant's requests may use it. Called by many threads at once. */
public interface HeadDesk {
    /** Whether the job's input is where it will run. @param number the manager's id of the job */
    DataAnswer dataIn(String number);

    /** Whether all that the job has to bring home is in its places. @param number the manager's id of the job */
    DataAnswer dataOut(String number);

    /**
     * Whether the nodes that the job was given are ready for it, its input included.
     *
     * @param number the manager's id of the job
     * @param patience how long the answer may take when it is a wait
     */
    DataAnswer onNodes(String number, Duration patience);

    /** The manager is done with a run of the job: who waits for its nodes is answered. @param number as above */
    void left(String number);

    /** The loop looks at once at what there is to do. */
    void wake();

    /** The node gets no further jobs and is ended when nothing runs on it. @return what was done, in a few words */
    String remove(String node);

    /** The login name of a uid: what this machine calls it, when the directory does so too, else the directory's. */
    String nameOf(int uid, String here);

    /** @throws ApiException if that user may not run jobs here */
    void known(String user, int uid);

    InputFiles inputs();

    /** Looks at files with their user's rights. */
    interface InputFiles {
        /** Each input of a job without tasks. @throws ApiException if one cannot be read, or nobody can look */
        List<Stager.Found> look(JobSpec spec);

        /** @throws ApiException if that is more than would ever be staged for one job */
        void bounded(long files, long bytes);
    }
}
