package org.spillway.head.cause;

import java.util.List;
import org.spillway.api.NodeState;
import org.spillway.policy.LaunchOutcome;

/** Why a node or director is in its state. */
public sealed interface NodeCause extends Cause {
    /** Why a node or director is in its state, where nothing more is to be said. */
    enum NodeFact implements NodeCause {
        INSTANCE_GONE("its instance is gone"),
        STOPPED_WHILE_BOOTING("its instance stopped while it booted"),
        NOT_UP_IN_TIME("it did not come up in time"),
        DIRECTOR_REPLACED("it was to join a director that is gone, and cannot find the next one"),
        STOPPED_BEFORE_READY("its instance stopped before it was ready"),
        NOT_READY_IN_TIME("it was not ready in time"),
        SILENT_BEFORE_READY("it fell silent before it was ready"),
        INSTANCE_STOPPED("its instance stopped"),
        LEASE_NOT_RENEWED("not heard from for longer than its lease"),
        NOT_HEARD("not heard from"),
        IDLE("idle"),
        DRAINED("drained"),
        STOPPED_WHILE_CHANGING("its instance stopped while it became another"),
        NOT_CHANGED_IN_TIME("it did not become another in time"),
        NOT_BACK_IN_TIME("it did not come back in time"),
        JOB_DID_NOT_END("its job did not end"),
        GIVEN_TO_UNBOUND("it was given to a job that cannot be bound to it"),
        NOT_REGISTERED("it does not register with its workload manager: another takes its place"),
        RELEASED("released"),
        TRIALS_SPENT("directors of its site that never served have cost what they may"),
        OVER_BUDGET("the budget has no room for it any more"),
        NEEDED_AGAIN("needed again"),
        MACHINE_GIVEN("its machine is given"),
        ADOPTED("adopted: its launch answer was lost"),
        NO_INSTANCE("no instance appeared for it"),
        NODES_KEPT("nodes are kept in it"),
        BOUGHT_AHEAD("bought while its head was made"),
        BY_HAND("by hand"),
        ASKED_BY_HAND("asked for by hand"),
        REMOVED_BY_HAND("removed by hand"),
        DRAINED_BY_HAND("drained by hand"),
        RESUMED_BY_HAND("resumed by hand"),
        GIVEN_BACK("its workload manager gives it jobs again"),
        LEFT_BY_HAND("stays what it is, by hand"),
        OTHER_VERSION("its category wants another version of the root file system"),
        VERSION_KEPT("it keeps its version of the root file system after all");

        private final String sentence;

        NodeFact(String sentence) {
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    /** @param during the state that it was in */
    record InstanceEnded(NodeState during) implements NodeCause {}

    /** @param why {@link NodeFact#BY_HAND}, or what the scaler says */
    record PoweredOff(Cause why) implements NodeCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param why {@link NodeFact#BY_HAND}, or what the scaler says */
    record PoweredOn(Cause why) implements NodeCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param said by the provider */
    record NotStarted(String said) implements NodeCause {}

    record StoppedTooLong(long longestSeconds) implements NodeCause {}

    /** The provider did not launch it, or could not keep what it had accepted. */
    record LaunchRefused(LaunchOutcome.Reason reason, String said) implements NodeCause {}

    /** @param category empty for none */
    record Repurposed(String category, Cause why) implements NodeCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param joined false when it leaves the overlay */
    record Overlaid(String overlay, boolean joined, Cause why) implements NodeCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param profile that it was to become, and that the configuration does not have any more */
    record ProfileGone(String profile) implements NodeCause {}

    /** A director that never served. @param how it ended; {@code said} why, from its installation or its console */
    record DirectorFailed(Cause how, Cause said) implements NodeCause {
        @Override
        public List<Cause> parts() {
            return List.of(how, said);
        }
    }

    /** Why it is to end, and why its provider has not ended it. @param said by the provider */
    record NotEnded(Cause was, String said) implements NodeCause {
        @Override
        public List<Cause> parts() {
            return List.of(was);
        }
    }

    /** @param said what the node found, by the check of its gate of that name */
    record GateFailed(String check, String said) implements NodeCause {}

    /** The node is not fit for jobs any more. @param said by its own checks or its site's, which one and what it found */
    record Sick(String said) implements NodeCause {}

    /** Too many nodes on that machine of the provider have fallen sick. */
    record HostShut(String host) implements NodeCause {}

    /** The root of its jobs is not the version that it attests any more. @param said how many files differ, and the first of them */
    record Drifted(String said) implements NodeCause {}

    /** Jobs on the node are not kept apart as they could be. @param lacks what is missing, as the node found it */
    record NotIsolated(String lacks) implements NodeCause {}

    /** The workload manager's own administrators keep it from jobs. @param said why, in their words */
    record Withheld(String said) implements NodeCause {}

    /**
     * A notice of its provider, which takes the machine back. @param epochSeconds when, by the provider's clock
     */
    record Reclaimed(long epochSeconds) implements NodeCause {}

    /** A hint of its provider, which may take the machine back soon. @param epochSeconds when it said so */
    record AtRisk(long epochSeconds) implements NodeCause {}

    record JobsWait(String site) implements NodeCause {}

    record StandingWanted(String site, int count, String type) implements NodeCause {}

    /** @param said by the policy or the planner: a site's own policy says it in its own words */
    record Planned(String said) implements NodeCause {}
}
