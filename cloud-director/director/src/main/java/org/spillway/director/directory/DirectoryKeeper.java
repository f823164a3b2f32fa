package org.spillway.director.directory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sees since when a directory is away, and saves its content while it is there: once a minute, and when it changed. */
final class DirectoryKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryKeeper.class);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration BETWEEN_COPIES = Duration.ofMinutes(1);
    /** So many entries are loaded with a hundred megabytes that nobody needs afterwards. */
    private static final int MANY = 50_000;

    private final DirectoryStore store;
    private final SavedDirectory saved;
    private final Supplier<String> trouble;
    private long savedChange = -1;
    private @Nullable Instant savedAt;
    private boolean unsaved;
    private volatile @Nullable Instant away;
    private @Nullable Thread thread;

    /** @param trouble of the source; empty while all is well */
    DirectoryKeeper(DirectoryStore store, SavedDirectory saved, Supplier<String> trouble) {
        this.store = store;
        this.saved = saved;
        this.trouble = trouble;
    }

    synchronized void start() {
        thread = Thread.ofVirtual().name("directory-keeper").start(() -> {
            try {
                while (true) {
                    Thread.sleep(LOOK);
                    look(InstantSource.system().instant());
                }
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** A look at any time. */
    synchronized void look(Instant now) {
        String what = trouble.get();
        Instant since = away;
        if (!what.isEmpty()) {
            if (since == null) {
                // A copy says when the directory was last there: a head that starts does not begin to count anew.
                away = saved.at().filter(last -> last.isBefore(now)).orElse(now);
                LOG.warn("directory: away since {}, known users go on: {}", away, what);
            }
            return;
        }
        if (since != null) {
            LOG.info("directory: there again; it was away since {}", since);
            away = null;
        }
        if (store.complete() && (savedAt == null || !now.isBefore(savedAt.plus(BETWEEN_COPIES)))) {
            save(now);
        }
    }

    private void save(Instant now) {
        savedAt = now;
        long change = store.log().last();
        try {
            if (change == savedChange) {
                saved.touch(now);
            } else {
                saved.save(store, now);
                if (savedChange < 0 && store.size() > MANY) {
                    // The collector would keep that memory, as nothing presses it: a head is to be small for years.
                    System.gc();
                }
                savedChange = change;
            }
            unsaved = false;
        } catch (IOException e) {
            if (!unsaved) {
                LOG.warn("directory: its copy cannot be written: {}", e.getMessage());
            }
            unsaved = true;
        }
    }

    /** Since when it is away; empty while it is there. */
    Optional<Instant> away() {
        return Optional.ofNullable(away);
    }

    @Override
    public synchronized void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
