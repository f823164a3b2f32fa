package org.spillway.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;

public record WebView(
        @Describes("a secret: who has it sees, and does, what the caller may")
        String link,

        @Describes("when the link, and what was opened by it, is worth nothing any more; null for an administrator's")
        @Nullable
        Instant endsAt) {
    @Override
    public String toString() {
        return "WebView[link withheld]";
    }
}
