package org.spillway.head.loop.port;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.Bundles;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.UserFiles;

/** Moves a job's data. Every call blocks, may be repeated, and goes on where an earlier one was cut off. */
public interface Stager {
    /** Of one job's input. */
    int MOST_FILES = Bundles.FILES_MAX;

    /** Of one job's input: 1 PiB. */
    long MOST_BYTES = 1L << 50;

    /**
     * The extent of a job's inputs now.
     *
     * @param bytes of the bundle that they make
     * @param pinned one of them, or the user's path to it, that may not leave home; empty for none
     */
    record Extent(int files, long bytes, String pinned) {
        public Extent(int files, long bytes) {
            this(files, bytes, "");
        }
    }

    /** Looks at a job's inputs as its user. @throws FileRefused if the user may not read them, or there is nothing */
    Extent measure(JobSpec spec) throws FileRefused, IOException;

    /**
     * The extent of one input now.
     *
     * @param bytes of its files
     * @param pinned a path among them, or behind a link among them, that may not leave home; empty for none
     * @param unsized files of which nobody says how large they are
     */
    record Found(int files, long bytes, String pinned, int unsized) {
        public Found(int files, long bytes, String pinned) {
            this(files, bytes, pinned, 0);
        }
    }

    /** Looks at one of a job's inputs as its user. @throws FileRefused if the user may not read it, or there is nothing */
    Found look(JobSpec spec, JobSpec.Input input) throws FileRefused, IOException;

    /**
     * The name of an image by the digest that it has now, as the job's user sees it. Where nobody asks registries a name
     * stays as it is.
     *
     * @throws FileRefused if there is none, or not for this user
     * @throws IOException if its registry does not answer just now
     */
    default String pinnedImage(JobSpec spec, String image) throws FileRefused, IOException {
        return image;
    }

    /**
     * Looks at destinations of a job's outputs as its user; changes nothing.
     *
     * @return one for each, in their order; empty when nobody could look for now, such as while its user's worker copies
     */
    Optional<List<UserFiles.Place>> look(JobSpec spec, List<UserFiles.Wish> wishes) throws FileRefused, IOException;

    /**
     * Copies the job's input into the site as one bundle and verifies it there. Where another job has staged the very same
     * files there, its bundle becomes this one's too, and nothing is copied; it stays until both jobs are cleaned.
     *
     * @param store the site's staging space
     * @param alike a job of the same user whose bundle lies in that store and may be of the same files; null for none
     * @param moved told now and then how many bytes are there
     * @throws FileRefused if the user may not read it, or it may not leave home; nothing but the user's own doing mends
     *     that
     */
    JobRun.Staged stageIn(
            DirectorTarget director, JobRecord job, String store, @Nullable JobRecord alike, LongConsumer moved)
            throws FileRefused, IOException, LinkDownException;

    /**
     * Copies the results of the job's attempt home, a hidden bundle for each rank in the job's folder, and verifies them
     * there. Nothing is visible yet, so that an attempt whose results are lost on the way can be made again.
     *
     * @param moved told now and then how many bytes are here
     * @throws FileRefused if the user may write in none of the folders that the job names
     */
    void bringHome(DirectorTarget director, JobRecord job, LongConsumer moved)
            throws FileRefused, IOException, LinkDownException;

    /**
     * A round of outputs of a job that runs, as its node has sealed it.
     *
     * @param rank of the node
     * @param number of the round
     */
    record Round(int rank, int number, Checksum bundle) {}

    /**
     * Yield of a round.
     *
     * @param files in their places now
     * @param bytes of these
     * @param said why not all of it is in its place; empty when it is
     * @param again whether the same may be taken another time, as when a disk is full
     */
    record Synced(int files, long bytes, String said, boolean again) {}

    /**
     * Brings a round of outputs home and puts them in their places, as the results of an ended job.
     *
     * @throws FileRefused if the user may write in none of the folders that the job names
     */
    Synced sync(DirectorTarget director, JobRecord job, Round round) throws FileRefused, IOException, LinkDownException;

    /**
     * A stream of a job that runs, which grows at home.
     *
     * @param name {@code stdout} or {@code stderr}
     * @param after bytes of it that are there
     * @param first whether this head has not added to it yet
     */
    record Growing(int rank, String name, long after, boolean first) {}

    /**
     * Yield of that.
     *
     * @param after bytes of it that are there now
     * @param refused why no more of it comes before the job ends; empty when more may come
     */
    record Grown(long after, String refused) {}

    /**
     * Adds what a running job has written to its files at home, as far as the site still has it.
     *
     * @param streams of that job
     * @return one for each, in their order
     */
    List<Grown> grow(DirectorTarget director, JobRecord job, List<Growing> streams)
            throws FileRefused, IOException, LinkDownException;

    /**
     * Puts each result in its place by a rename with the user's rights. Needs no site. What was put in its place before,
     * in this or an earlier life of the head, stays as it is. One that cannot be put in its place withholds no other.
     */
    JobRun.Published publish(JobRecord job) throws FileRefused, IOException;

    /**
     * Copies what the last attempt left whose node was taken back home, a hidden bundle for each rank, and verifies them
     * there.
     *
     * @throws FileRefused if the user may write in none of the folders that the job names
     */
    void bringCheckpoint(DirectorTarget director, JobRecord job) throws FileRefused, IOException, LinkDownException;

    /**
     * Makes hidden bundles, one for each rank, of what came home while the last attempt ran ({@link #sync}) and lies in its
     * places. Needs no site.
     *
     * @throws FileRefused if a file is not the one that came home any more, or something of a round is not in its place
     */
    List<Checksum> gatherCheckpoint(JobRecord job) throws FileRefused, IOException;

    /**
     * Copies what {@link #bringCheckpoint} has brought, or {@link #gatherCheckpoint} made, into another site, under the keys that orders name.
     *
     * @throws FileRefused if it is not at home any more
     */
    void sendCheckpoint(DirectorTarget director, JobRecord job) throws FileRefused, IOException, LinkDownException;

    /** Removes the hidden bundles at home; none there is success. */
    void forget(JobRecord job) throws FileRefused, IOException;

    /** Removes all that is staged for a job in the site; nothing there is success. */
    void clean(DirectorTarget director, String job) throws IOException, LinkDownException;
}
