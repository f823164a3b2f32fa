package org.spillway.api;

/**
 * The loop's last ticks.
 *
 * @param count of them
 * @param medianMicros of the time that one took
 * @param lateMicros how much later than it should one began, at most
 */
public record TickView(int count, long medianMicros, long p95Micros, long mostMicros, long lateMicros) {}
