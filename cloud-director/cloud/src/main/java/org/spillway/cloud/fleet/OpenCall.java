package org.spillway.cloud.fleet;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A launch call without a known end.
 *
 * @param unknownSince when the head stopped waiting for the answer; null while it still waits
 */
public record OpenCall(String intent, @Nullable Instant unknownSince) {}
