package org.spillway.head.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The metrics for a collector, which shows a token of its own: it sees these and nothing else.
 *
 * @param tokenFile read at each request, so that a new token needs no restart
 * @param text of all metrics as of now
 */
public record MetricsPage(Path tokenFile, String contentType, Supplier<String> text) {
    static final String PATH = "/metrics";
    private static final String SCHEME = "bearer ";
    /** An empty file, or one that became short while the head runs, lets nobody in. */
    private static final int LEAST_TOKEN_CHARACTERS = 16;

    /** Whether a request with that header shows the token; a file that cannot be read lets nobody in. */
    boolean admits(Optional<String> authorization) {
        return authorization
                .filter(header -> header.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
                .filter(header -> isToken(header.substring(SCHEME.length()).strip()))
                .isPresent();
    }

    private boolean isToken(String shown) {
        try {
            String token = Files.readString(tokenFile).strip();
            return token.length() >= LEAST_TOKEN_CHARACTERS
                    && MessageDigest.isEqual(
                            token.getBytes(StandardCharsets.UTF_8), shown.getBytes(StandardCharsets.UTF_8));
        } catch (IOException unreadable) {
            return false;
        }
    }
}
