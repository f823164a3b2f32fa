package org.spillway.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * @param link the web page's address with the token that lets in: a secret
 * @param endsAt when the link, and what was opened by it, is worth nothing any more; null for an administrator's
 */
public record WebView(String link, @Nullable Instant endsAt) {
    @Override
    public String toString() {
        return "WebView[link withheld]";
    }
}
