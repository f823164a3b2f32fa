package org.spillway.head.planted;

import org.quartz.Scheduler;

/** Planted: a scheduler beside the threads that repeat. */
public final class Scheduling {
    private Scheduling() {}

    public static Class<?> sees() {
        return Scheduler.class;
    }
}
