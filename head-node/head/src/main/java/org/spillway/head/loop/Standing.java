package org.spillway.head.loop;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;

/**
 * A job's standing: the one answer from which listings, explanations, plans and pages are made.
 *
 * @param cause why it is in its state; none when there is nothing to say
 * @param start when it may start; null when nothing can be said, and once it runs
 */
public record Standing(Cause cause, @Nullable Instant start) {}
