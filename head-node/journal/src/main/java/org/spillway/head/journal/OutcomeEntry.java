package org.spillway.head.journal;

import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Told;
import org.spillway.scaler.plan.Breakers.NodeOutcome;

/**
 * How far a node has come: breakers are folded from these.
 *
 * @param id of the node
 * @param forJobs it was launched because jobs waited
 */
public record OutcomeEntry(String id, NodeOutcome outcome, boolean forJobs) implements Entry {
    @Override
    public String kind() {
        return "outcome";
    }

    @Override
    public String state() {
        return outcome.stage().name();
    }

    @Override
    public Cause cause() {
        return Told.of(outcome.message());
    }

    @Override
    public boolean isLive() {
        return false;
    }
}
