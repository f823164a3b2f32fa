package org.spillway.api;

import org.spillway.api.form.Describes;

/** The loop's last ticks. */
public record TickView(
        @Describes("of them") int count,

        @Describes("of the time that one took") long medianMicros,

        long p95Micros,

        long mostMicros,

        @Describes("how much later than it should one began, at most")
        long lateMicros) {}
