package org.spillway.head.staging;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserFiles.Found;

/**
 * Inputs as they were when their jobs were submitted, a moment ago: a staging that follows at once looks at nothing twice.
 * Of a pattern there is the look that began last, or none. May be used by several threads.
 */
final class RecentFinds {
    /** Many times what the loop takes from a submission to its staging; no user does something in between. */
    static final Duration KEPT = Duration.ofSeconds(2);
    /** Of all looks together: a few MiB of heap. */
    static final int FILES_MOST = 50_000;

    private final InstantSource clock;
    private final Map<Key, Look> looks = new HashMap<>();

    private record Key(Identity who, String pattern) {}

    private static final class Look {
        private final Instant begun;
        private Instant last;
        private @Nullable List<Found> files;

        Look(Instant begun) {
            this.begun = begun;
            this.last = begun;
        }

        boolean isOld(Instant now) {
            return Duration.between(last, now).abs().compareTo(KEPT) > 0;
        }
    }

    /** @param begun before the first of the files was looked at */
    record Scan(List<Found> files, Instant begun) {}

    /** A look at files. */
    @FunctionalInterface
    interface Finding {
        List<Found> find() throws IOException;
    }

    RecentFinds(InstantSource clock) {
        this.clock = clock;
    }

    /** Looks, and keeps what was found, unless another look at the same has begun meanwhile. */
    List<Found> look(Identity who, String pattern, Finding finding) throws IOException {
        Key key = new Key(who, pattern);
        Look look = new Look(clock.instant());
        synchronized (this) {
            expire();
            looks.put(key, look);
        }
        List<Found> files = finding.find();
        synchronized (this) {
            if (files.size() <= FILES_MOST && looks.get(key) == look) {
                int all = looks.values().stream()
                        .mapToInt(other -> other.files == null ? 0 : other.files.size())
                        .sum();
                if (all + files.size() > FILES_MOST) {
                    looks.values().forEach(other -> other.files = null);
                }
                look.files = files;
                look.last = clock.instant();
                CompletableFuture.delayedExecutor(KEPT.toMillis() + 1, TimeUnit.MILLISECONDS)
                        .execute(this::expire);
            }
        }
        return files;
    }

    /** Files as they were found a moment ago; empty when these were not looked for, or are being looked for. */
    synchronized Optional<Scan> of(Identity who, String pattern) {
        Look look = looks.get(new Key(who, pattern));
        return look == null || look.files == null || look.isOld(clock.instant())
                ? Optional.empty()
                : Optional.of(new Scan(look.files, look.begun));
    }

    /** Files of that user are others from now on. */
    synchronized void forget(Identity who) {
        looks.keySet().removeIf(key -> key.who().equals(who));
    }

    private synchronized void expire() {
        Instant now = clock.instant();
        looks.values().removeIf(look -> look.isOld(now));
    }
}
