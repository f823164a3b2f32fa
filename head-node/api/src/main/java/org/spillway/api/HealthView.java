package org.spillway.api;

import java.time.Instant;
import org.spillway.api.form.Describes;

/** A sign that the head lives. */
public record HealthView(
        String cluster,

        String version,

        @Describes("of its process") long pid,

        Instant startedAt,

        @Describes("whether all instances are being ended") boolean releasing) {}
