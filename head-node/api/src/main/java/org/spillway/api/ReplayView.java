package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;

/** The result of deciding once more. */
public record ReplayView(
        String id,

        Instant at,

        String policy,

        @OneOf({"IDENTICAL", "DIFFERS", "NOT_REPLAYED"}) String verdict,

        @Describes("one line each, at most ten; why it was not replayed; empty when it is identical")
        List<String> differences) {
    public ReplayView {
        differences = List.copyOf(differences);
    }
}
