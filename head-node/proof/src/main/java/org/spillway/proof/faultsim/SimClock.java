package org.spillway.proof.faultsim;

import java.time.Instant;

/** Simulated time. */
final class SimClock {
    private Instant now = Instant.parse("2026-01-05T08:00:00Z");

    Instant now() {
        return now;
    }

    void advanceMillis(long millis) {
        now = now.plusMillis(millis);
    }
}
