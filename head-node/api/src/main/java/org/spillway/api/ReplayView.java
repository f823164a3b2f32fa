package org.spillway.api;

import java.time.Instant;
import java.util.List;

/**
 * The result of deciding once more.
 *
 * @param verdict {@code IDENTICAL}, {@code DIFFERS} or {@code NOT_REPLAYED}
 * @param differences one line each, at most ten; why it was not replayed; empty when it is identical
 */
public record ReplayView(String id, Instant at, String policy, String verdict, List<String> differences) {
    public ReplayView {
        differences = List.copyOf(differences);
    }
}
