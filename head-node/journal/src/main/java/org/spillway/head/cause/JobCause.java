package org.spillway.head.cause;

import java.util.List;
import org.spillway.api.JobState;
import org.spillway.stage.pull.PullFault;

/** Why a job is in its state. */
public sealed interface JobCause extends Cause {
    /** Why a job is in its state, where nothing more is to be said. */
    enum JobFact implements JobCause {
        CANCELLED_BY_USER("cancelled by its user"),
        CHANGED_BY_USER("changed by its user"),
        INPUT_LOST("the site's staging space was lost"),
        RESULTS_LOST("its results were lost with the site's staging space"),
        STAGED_AGAIN("its input is to be staged again"),
        BROKEN_OFF("its run was broken off"),
        STOPPING_FOR_USER("being stopped, as its user asked"),
        STOPPING_FOR_PART("being stopped: a part of it has failed or lost its node"),
        NODE_LOST("its node was lost"),
        ENDED_BEFORE("it has ended here already, and is not run again: submit it anew"),
        RUNS_ELSEWHERE("runs on nodes that are not the head's"),
        LAST_RUN_ELSEWHERE("its last run was on nodes that are not the head's"),
        FORGOTTEN(
                "its manager was killed, has forgotten that it ended, and runs it once more; its results are in their places"),
        UNTOLD("its manager was killed and has forgotten that it ended; nobody knows how"),
        UNATTENDED("its last run ended before the head had seen it begin, and nothing of it was fetched"),
        RUN_TWICE("it was run twice, as its manager had forgotten its end; its results are those of the first run"),
        BARREN("its results did not reach the staging space"),
        UNKNOWN_TO_MANAGER(
                "the workload manager does not know it any more: one that is killed forgets what it has not written down");

        private final String sentence;

        JobFact(String sentence) {
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    record RunsOn(List<String> nodes) implements JobCause {}

    /** A foreign job stays held for it until its user lets it go again. */
    record Unstageable(String said) implements JobCause {}

    /**
     * A file of an input that lies at another end did not come.
     *
     * @param from where it lies, without secrets
     * @param detail such as a status or an address; empty for none
     */
    record NotPulled(String from, PullFault fault, String detail) implements JobCause {}

    /**
     * @param first of those that did not come, the first ones
     * @param failed how many
     * @param files of all its inputs from other ends
     */
    record InputsMissing(List<Cause> first, int failed, int files) implements JobCause {
        @Override
        public List<Cause> parts() {
            return first;
        }
    }

    /** @param said by the node that would not run it */
    record NodeRefused(String said) implements JobCause {}

    record LostNode(String node) implements JobCause {}

    /** Told to end, as its node's provider gave notice. @param kept what it left is there for its next attempt */
    record TakenBack(String node, boolean kept) implements JobCause {}

    /** @param why its attempt came to nothing */
    record NotRequeued(Cause why) implements JobCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param why the last of its attempts came to nothing */
    record GivenUp(Cause why, int attempts) implements JobCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param folder where the results lie hidden; empty for nowhere */
    record Unpublished(String said, String folder) implements JobCause {}

    /**
     * An output that could not be put in its place.
     *
     * @param destination where it should be
     * @param said path and reason, of the first of its files
     */
    record OutputUnplaced(String pattern, String destination, String said) implements JobCause {}

    /**
     * Results are at home and some are not in their places; the job is as its script left it.
     *
     * @param outputs one for each of those
     * @param kept tar files at home that hold all its results
     */
    record OutputsUnplaced(List<Cause> outputs, List<String> kept) implements JobCause {
        @Override
        public List<Cause> parts() {
            return outputs;
        }
    }

    /** The user ended it while its results were on their way. @param folder where they lie hidden; empty for nowhere */
    record ResultsGivenUp(String folder) implements JobCause {}

    /** @param why as its node or its manager says */
    record ScriptFailed(Cause why, int exitCode) implements JobCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param why as its node or its manager says */
    record ResultsNotSent(Cause why) implements JobCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /**
     * The script ended well, and its node has something to say of its results, such as what was too much for a disk.
     *
     * @param said by the node
     * @param what else is to be said of the job; none for nothing
     */
    record NodeNoted(Cause said, Cause what) implements JobCause {
        @Override
        public List<Cause> parts() {
            return List.of(said, what);
        }
    }

    /** @param strict the job counts as failed for that */
    record OutputMissing(List<String> patterns, boolean strict) implements JobCause {}

    /**
     * Nothing that its last run has done is anybody's, and it is not run again.
     *
     * @param why as its manager says
     * @param requeue whether its user has allowed further runs
     */
    record RunLost(Cause what, Cause why, boolean requeue) implements JobCause {
        @Override
        public List<Cause> parts() {
            return List.of(what, why);
        }
    }

    /**
     * On nodes that are not the head's.
     *
     * @param why as its manager says
     * @param exitCode of the script, 128 + signal when it was killed; 255 when nobody knows
     */
    record EndedElsewhere(Cause why, int exitCode) implements JobCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param why as its manager says */
    record FailedAfterBreak(Cause why, int exitCode) implements JobCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    record DependencyMissing(String job) implements JobCause {}

    record DependencyEnded(String job, JobState as) implements JobCause {}

    /** @param notes on its admission, in the order in which they were made */
    record Admitted(List<String> notes) implements JobCause {}
}
