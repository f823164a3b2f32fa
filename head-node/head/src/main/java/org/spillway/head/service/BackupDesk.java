package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.BackupOrder;
import org.spillway.api.BackupView;
import org.spillway.head.config.BackupSettings;
import org.spillway.head.journal.BackupFolder;
import org.spillway.head.journal.JournalBackup;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalReport;
import org.spillway.head.rest.BackupsApi;

/** Backups of a running head's journal, one at a time on a thread of their own: by order, and by the configuration. */
final class BackupDesk implements BackupsApi, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackupDesk.class);
    private static final int REMEMBERED = 20;
    /** Until the next of the schedule after a failure. */
    private static final Duration PAUSE = Duration.ofMinutes(5);

    private final Path state;
    private final Optional<BackupSettings> settings;
    private final ZoneId zone;
    private final InstantSource clock;
    private final Deque<Making> makings = new ArrayDeque<>();
    private long number;
    private volatile Instant notBefore = Instant.MIN;
    private volatile boolean stopped;

    BackupDesk(Path state, Optional<BackupSettings> settings, ZoneId zone, InstantSource clock) {
        this.state = state;
        this.settings = settings;
        this.zone = zone;
        this.clock = clock;
    }

    /** A backup. Its own thread writes, any thread reads. */
    private final class Making implements JournalBackup.Watch {
        private final String id;
        private final Path file;
        private final boolean scheduled;
        private final Instant begunAt = clock.instant();
        private String standing = "RUNNING";
        private String message = "";
        private long bytes;
        private long records;
        private @Nullable Thread thread;

        Making(String id, Path file, boolean scheduled) {
            this.id = id;
            this.file = file;
            this.scheduled = scheduled;
        }

        @Override
        public synchronized void copied(long done, long all) {
            message = "copied " + done / 1_000_000 + " of at most " + (all + 999_999) / 1_000_000 + " MB";
        }

        @Override
        public synchronized void verified(long rows) {
            message = "read back " + rows + " rows";
        }

        @Override
        public boolean isStopped() {
            return stopped;
        }

        synchronized void done(JournalReport report, Optional<JournalReport> archive) {
            standing = "DONE";
            message = archive.map(old -> "with its archive, " + old.file() + ": " + old.records() + " records")
                    .orElse("");
            bytes = report.bytes();
            records = report.records();
        }

        synchronized void failed(String why) {
            standing = "FAILED";
            message = why;
        }

        synchronized BackupView view() {
            return new BackupView(id, file.toString(), scheduled, standing, message, begunAt, bytes, records);
        }
    }

    @Override
    public BackupView begin(BackupOrder order) {
        return begin(Path.of(order.file()), order.replace(), false).view();
    }

    private synchronized Making begin(Path file, boolean replace, boolean scheduled) {
        Making last = makings.peekFirst();
        if (last != null && last.view().isRunning()) {
            throw new ApiException(
                    Code.CONFLICT, "the backup " + last.file + " is being made", "wait for its end, then try again");
        }
        Making making = new Making("b" + ++number, file, scheduled);
        makings.addFirst(making);
        if (makings.size() > REMEMBERED) {
            makings.removeLast();
        }
        // SQLite's calls are native: they would hold a carrier of virtual threads.
        making.thread = Thread.ofPlatform().daemon().name("backup " + making.id).start(() -> make(making, replace));
        return making;
    }

    private void make(Making making, boolean replace) {
        try {
            JournalReport report = JournalBackup.write(state, making.file, replace, making);
            Path archive =
                    making.scheduled ? BackupFolder.archiveOf(making.file) : JournalBackup.archiveOf(making.file);
            Optional<JournalReport> old = JournalBackup.archive(state, archive, replace || making.scheduled, making);
            making.done(report, old);
            if (making.scheduled) {
                settings.ifPresent(known -> new BackupFolder(known.folder()).sweep(known.keep()));
            }
        } catch (JournalFailure failure) {
            making.failed(String.valueOf(failure.getMessage()));
            notBefore = clock.instant().plus(PAUSE);
            LOG.warn("{}", failure.getMessage());
        } catch (RuntimeException fault) {
            making.failed("the head failed to do it; its log says why");
            notBefore = clock.instant().plus(PAUSE);
            LOG.error("the backup {} failed", making.file, fault);
        }
    }

    @Override
    public synchronized List<BackupView> latest() {
        return makings.stream().map(Making::view).toList();
    }

    /** Begins one where the configuration wants it by now. */
    void keep() {
        settings.ifPresent(known -> {
            Instant now = clock.instant();
            if (now.isBefore(notBefore)) {
                return;
            }
            try {
                Files.createDirectories(
                        known.folder(),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                BackupFolder folder = new BackupFolder(known.folder());
                Optional<Instant> latest = folder.latest();
                if (latest.isEmpty() || !now.isBefore(known.next(latest.get(), zone))) {
                    begin(folder.fresh(now), false, true);
                }
            } catch (ApiException busy) {
                // Looked at again in some seconds.
            } catch (IOException | JournalFailure unusable) {
                notBefore = now.plus(PAUSE);
                LOG.warn(
                        "no backup was made in {}: {}; repair it, or correct backup.folder",
                        known.folder(),
                        unusable.getMessage());
            }
        });
    }

    /** A backup under way is given up, and leaves nothing. */
    @Override
    public void close() throws InterruptedException {
        stopped = true;
        Making last;
        synchronized (this) {
            last = makings.peekFirst();
        }
        Thread running = last == null ? null : last.thread;
        if (running != null) {
            running.join(Duration.ofSeconds(5));
        }
    }
}
