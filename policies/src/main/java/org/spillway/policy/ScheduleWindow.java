package org.spillway.policy;

import java.time.Instant;

/** A named stretch of time, such as "Monday pre-warm", that is open at the snapshot's {@code now}. */
public record ScheduleWindow(String name, Instant opened, Instant closes) {}
