package org.spillway.api;

import java.time.Instant;

/**
 * A sign that the head lives.
 *
 * @param pid of its process
 * @param releasing whether all instances are being ended
 */
public record HealthView(String cluster, String version, long pid, Instant startedAt, boolean releasing) {}
