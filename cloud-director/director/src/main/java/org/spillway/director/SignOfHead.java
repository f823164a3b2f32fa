package org.spillway.director;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A file that changes while there is a head. The watch that came with the machine's user data looks at it, runs as root
 * and powers off when it stays as it is for too long.
 */
final class SignOfHead {
    private static final Duration EVERY = Duration.ofMinutes(1);

    private final Path file;
    private @Nullable Instant last;

    SignOfHead(Path stateDirectory) {
        this.file = stateDirectory.resolve("heard");
    }

    /** @param now by a clock that nobody sets */
    synchronized void heard(Instant now) {
        Instant before = last;
        if (before != null && now.isBefore(before.plus(EVERY))) {
            return;
        }
        try {
            Files.writeString(file, now + "\n", StandardCharsets.UTF_8);
            last = now;
        } catch (IOException diskRefuses) {
            // A failed write must not cut the head off; the watch is patient for hours, and the next word tries again.
            last = null;
        }
    }
}
