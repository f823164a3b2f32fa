package org.spillway.cloud.pacing;

import java.time.Duration;

/** Waiting, as an argument like time itself. */
public interface Pause {
    Pause REAL = Thread::sleep;

    void sleep(Duration time) throws InterruptedException;
}
