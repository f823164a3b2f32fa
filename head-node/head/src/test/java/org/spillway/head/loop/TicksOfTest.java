package org.spillway.head.loop;

import java.time.Duration;

/** Ticks as the loop's thread would have measured them. */
public final class TicksOfTest {
    private TicksOfTest() {}

    public static void add(TickTimes times, Duration took) {
        times.add(took, Duration.ZERO);
    }
}
