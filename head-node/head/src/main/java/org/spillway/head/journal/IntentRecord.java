package org.spillway.head.journal;

import org.spillway.cloud.fleet.Intent;

/** A launch intent in the journal. */
public record IntentRecord(Intent intent) implements Entry {
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
    public String reason() {
        return intent.message();
    }

    @Override
    public boolean isLive() {
        return intent.state() == Intent.State.PLANNED || intent.state() == Intent.State.CALLED;
    }
}
