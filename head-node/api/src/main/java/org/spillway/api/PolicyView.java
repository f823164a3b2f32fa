package org.spillway.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A policy.
 *
 * @param state {@code deciding}, {@code starting}, {@code ready}, {@code disabled} or {@code refused}
 * @param file empty for a built-in one
 * @param digest SHA-256 of the version that counts; empty for a built-in one, and while none has passed
 * @param since when that version was taken; null where there is none
 * @param strikes how often it failed in a row
 * @param detail what is wrong, in one sentence; empty for nothing
 */
public record PolicyView(
        String name,
        String state,
        String file,
        String digest,
        @Nullable Instant since,
        int strikes,
        String detail) {}
