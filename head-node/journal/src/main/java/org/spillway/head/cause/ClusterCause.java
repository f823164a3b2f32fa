package org.spillway.head.cause;

import java.util.List;
import org.spillway.api.ClusterState.Stage;

/** Why a cluster on demand is in its state, what it waits for, and why it could not be made. */
public sealed interface ClusterCause extends Cause {
    /** The state or the obstacle of a cluster of which nothing more is to be said. */
    enum ClusterFact implements ClusterCause {
        TIME_OVER("its time is over"),
        BUDGET_SPENT("its budget is spent"),
        PARENT_ENDS("its parent ends all that it has"),
        NO_MACHINE_OFFERED("the site offers no machine for its head"),
        HEAD_NOT_APPEARED("no instance appeared for its head"),
        HEAD_GONE("the machine of its head is gone"),
        HEAD_LOST("the machine of its head is gone: it cannot be started again, only deleted"),
        HEAD_OFF("the machine of its head was switched off"),
        HEAD_NOT_LISTED("the machine of its head is not listed"),
        HEAD_SWITCHED_OFF("the machine of its head is being switched off"),
        HEAD_OFF_AGAIN("the machine of its head ran, and is switched off again"),
        HEAD_ENDING("its head is ending"),
        RESULTS_COME_HOME("results of its jobs come home");

        private final String sentence;

        ClusterFact(String sentence) {
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    /** @param by login name */
    record ApprovedBy(String by) implements ClusterCause {}

    /** @param by login name; {@code said} in their own words */
    record RejectedBy(String by, String said) implements ClusterCause {}

    /** Nobody said yes or no. */
    record Unanswered(long withinSeconds) implements ClusterCause {}

    /** @param by login name */
    record WithdrawnBy(String by) implements ClusterCause {}

    /** @param by login name */
    record DeletedBy(String by) implements ClusterCause {}

    /** @param by login name */
    record StoppedBy(String by) implements ClusterCause {}

    /** @param by login name */
    record StartedBy(String by) implements ClusterCause {}

    /** @param why as its work, its machine or its provider says */
    record StageFailed(Stage stage, Cause why) implements ClusterCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param why what it waited for, as last seen */
    record StageLate(Stage stage, long mostSeconds, Cause why) implements ClusterCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param why the stage that did not come to its end */
    record StartFailed(Cause why) implements ClusterCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** The work of a stage did not succeed. @param said by whoever did it */
    record WorkFailed(String said) implements ClusterCause {}

    record SiteNotListed(String said) implements ClusterCause {}

    /** The head of a running cluster does not answer. */
    record HeadAway(String said) implements ClusterCause {}

    /** The head of a cluster that is stopped does not answer. */
    record HeadSilent(String said) implements ClusterCause {}

    /** @param status of HTTP, not 200 */
    record HeadAnswers(int status) implements ClusterCause {}

    /** @param state as its provider lists it */
    record HeadMachine(String state) implements ClusterCause {}

    record StopDelayed(String said) implements ClusterCause {}

    record NodesAwaited(int ready, int wanted) implements ClusterCause {}

    /** @param said by the parent or its provider, of the nodes that are still to come */
    record NodesRefused(int there, int wanted, String said) implements ClusterCause {}

    /** Nothing is bought before there is room for all. @param free places of the site */
    record SiteFull(String site, int free, int wanted) implements ClusterCause {}

    record NodesToGo(int surplus, int nodes) implements ClusterCause {}

    record NodesEnding(long nodes) implements ClusterCause {}

    /** @param left what was seen of it at its provider */
    record NotEmpty(String left) implements ClusterCause {}

    /** The subject of a quota or a limit. */
    enum Amount {
        CLUSTERS,
        NODES,
        GPUS,
        /** In micros of the head's currency. */
        BUDGET,
        /** In seconds. */
        TTL
    }

    /**
     * More than a quota, or than nobody has to be asked for.
     *
     * @param found of the cluster as it would be; of {@code CLUSTERS}, those that there are
     * @param others what other clusters have besides
     * @param most of both together
     * @param rule key of the configuration; {@code holder} such as {@code user alice}
     */
    record AboveLimit(Amount amount, long found, long others, long most, String rule, String holder)
            implements ClusterCause {
        /** The sentence's first half. */
        public String foundText() {
            return ClusterText.found(this);
        }

        /** The sentence's second half. */
        public String allowedText() {
            return ClusterText.allowed(this);
        }
    }
}
