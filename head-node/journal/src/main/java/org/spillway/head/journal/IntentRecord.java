package org.spillway.head.journal;

import org.spillway.cloud.fleet.Intent;
import org.spillway.head.cause.Cause;

/**
 * A launch intent in the journal.
 *
 * @param cause why it was decided, until it was called; then why it was refused, or is not known to be settled
 */
public record IntentRecord(Intent intent, Cause cause) implements Entry {
    @Override
    public String kind() {
        return "intent";
    }

    @Override
    public String id() {
        return intent.id();
    }

    @Override
    public String state() {
        return intent.state().name();
    }

    @Override
    public boolean isLive() {
        return intent.state() == Intent.State.PLANNED || intent.state() == Intent.State.CALLED;
    }
}
