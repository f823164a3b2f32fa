package org.spillway.head.journal;

import org.spillway.head.cause.Cause;
import org.spillway.head.cause.LaunchCause;
import org.spillway.policy.LaunchRecord;

/** Outcome of one launch call; offering health is folded from these. */
public record LaunchEntry(String id, LaunchRecord launch) implements Entry {
    @Override
    public String kind() {
        return "launch";
    }

    @Override
    public String state() {
        return launch.outcome().getClass().getSimpleName();
    }

    @Override
    public Cause cause() {
        return LaunchCause.of(launch.outcome());
    }

    @Override
    public boolean isLive() {
        return false;
    }
}
