package org.spillway.head.cause;

import java.util.List;
import org.spillway.api.JobState;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Bound;

/** Why a job waits, where it does, and what is in its way. */
public sealed interface WaitCause extends Cause {
    /** An obstacle of which nothing more is to be said. */
    enum WaitFact implements WaitCause {
        INPUT_UNSIZED("the size of its input is being looked at"),
        NODE_READY("its node is ready, and it begins there next"),
        NODE_PLANNED("a node is to be launched for it");

        private final String sentence;

        WaitFact(String sentence) {
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    record WaitsForJob(String job, JobState state) implements WaitCause {}

    record ArrayLimit(int most) implements WaitCause {}

    record LicenceTaken(String licence) implements WaitCause {}

    /** @param ofArray another task of its array brings it */
    record InputOnTheWay(String site, boolean ofArray) implements WaitCause {}

    record InputInTurn(String site) implements WaitCause {}

    /** The checkpoint of an attempt whose node was taken back comes to the site first. */
    record CheckpointOnTheWay(String site) implements WaitCause {}

    record InputInterrupted(String said) implements WaitCause {}

    record SpaceFull(String site, long thereBytes, long mostBytes, long neededBytes) implements WaitCause {}

    /** @param ailment none when none is known */
    record DirectorNotReady(String site, Cause ailment) implements WaitCause {
        @Override
        public List<Cause> parts() {
            return List.of(ailment);
        }
    }

    /** @param obstacle none when none is known */
    record NoDirector(String site, Cause obstacle) implements WaitCause {
        @Override
        public List<Cause> parts() {
            return List.of(obstacle);
        }
    }

    record ResultsAwaitDirector(String site) implements WaitCause {}

    record ResultsNotHome(String said) implements WaitCause {}

    /** Tried again after a pause that grows. @param outputs that are not in their places yet; the others are */
    record OutputsNotInPlace(List<Cause> outputs) implements WaitCause {
        @Override
        public List<Cause> parts() {
            return outputs;
        }
    }

    record OrderNotMade(String said) implements WaitCause {}

    /** @param nodes that its manager gave it, of a market that it may not use */
    record NodesOfOtherMarkets(List<String> nodes) implements WaitCause {}

    record SitesMixed(List<String> sites) implements WaitCause {}

    record ScriptsTooLarge(String site) implements WaitCause {}

    /** The thing that would be paid for. */
    enum Purpose {
        /** To its end. */
        RUN,
        COMMITMENT,
        NODE,
        START,
        REPURPOSING,
        TURN
    }

    /** @param needed what it may cost, or would reserve */
    record Budget(Money left, Money needed, Purpose purpose) implements WaitCause {}

    /**
     * @param name empty for all sites
     * @param needed what {@code purpose} would add to a limit in money; zero where that is not what is short
     */
    record LimitReached(
            Limits.Scope scope, String name, Limits.Unit unit, long used, long most, Money needed, Purpose purpose)
            implements WaitCause {}

    /**
     * A quota of the provider's account has no room for another machine.
     *
     * @param quota its name there, and {@code title} in the provider's words, empty when it has none
     * @param used by all of the account; {@code most} that may be
     * @param raise a command or a page by which more is asked for
     */
    record QuotaFull(String site, String quota, String title, Limits.Unit unit, long used, long most, String raise)
            implements WaitCause {}

    record NoSlots(String manager, String type, String site) implements WaitCause {}

    record NodeOnTheWay(String type, String zone) implements WaitCause {}

    record NodePoweredOn(String node) implements WaitCause {}

    record NodeRepurposed(String node) implements WaitCause {}

    /** @param said by the policy or the planner; {@code by} the first obstacle's kind, {@code name} its name */
    record PlanHolds(String said, Bound.Kind by, String name) implements WaitCause {}

    /** @param what would be done */
    record DryRun(String what) implements WaitCause {}
}
