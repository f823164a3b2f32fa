package org.spillway.head.journal;

import org.spillway.head.cause.BreakerCause;
import org.spillway.head.cause.Cause;
import org.spillway.scaler.plan.Breakers;

/** A breaker that is open or was, so that a head that starts again knows it, and who closed it. */
public record BreakerEntry(Breakers.State breaker) implements Entry {
    @Override
    public String kind() {
        return "breaker";
    }

    @Override
    public String id() {
        return breaker.id();
    }

    @Override
    public String state() {
        return breaker.open() ? "OPEN" : "CLOSED";
    }

    @Override
    public Cause cause() {
        return BreakerCause.of(breaker.seen());
    }

    /** A closed breaker is loaded all the same; a release that knows no breakers does not stumble over it. */
    @Override
    public boolean isLive() {
        return false;
    }
}
