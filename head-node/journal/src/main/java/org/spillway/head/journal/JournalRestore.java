package org.spillway.head.journal;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.spillway.head.past.StateIdFile;
import org.spillway.head.past.StateMark;

/**
 * Puts a backup in the place of a state's journal, while no head runs. The old journal stays beside it. The next head
 * starts in quarantine (ADR 30), however much the copy lacks: the mark in {@code secrets/state-id} is raised above it
 * before anything is moved, so that a crash at any point leaves a journal that is told as an older one, or none, which no
 * head takes for a new one.
 */
public final class JournalRestore {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final List<String> PARTS = List.of("journal.db-wal", "journal.db-shm", "journal.db");

    private final Path state;
    private final Path backup;
    private final StateIdFile stateId;

    /**
     * A backup that was checked, in its place or about to be.
     *
     * @param report of the backup
     * @param commitsKept as {@code secrets/state-id} remembers them; empty when it has no mark
     * @param aside where the old journal lies; null when there was none
     */
    public record Restored(
            JournalReport report,
            Optional<Long> commitsKept,
            @Nullable Path aside) {}

    private JournalRestore(Path state, Path backup) {
        this.state = state;
        this.backup = backup;
        this.stateId = new StateIdFile(state);
    }

    /**
     * Checks whether it can be restored. Changes nothing.
     *
     * @throws JournalFailure if a head runs, the backup is damaged, or it is of another state
     */
    public static Restored look(Path state, Path backup, LongConsumer progress) {
        try (Closeable lock = JournalGlance.keepHeadsOut(state)) {
            return new JournalRestore(state, backup).look(progress);
        } catch (IOException failure) {
            throw unusable(state, failure);
        }
    }

    /**
     * Restores it.
     *
     * @param now names the old journal
     * @throws JournalFailure as {@link #look}; or if the disk does not let us, and the message says what to do
     */
    public static Restored write(Path state, Path backup, Instant now, LongConsumer progress) {
        try (Closeable lock = JournalGlance.keepHeadsOut(state)) {
            JournalRestore restore = new JournalRestore(state, backup);
            Restored looked = restore.look(progress);
            return new Restored(looked.report(), looked.commitsKept(), restore.write(looked.report(), now));
        } catch (IOException failure) {
            throw unusable(state, failure);
        }
    }

    private static JournalFailure unusable(Path state, IOException failure) {
        return new JournalFailure(
                "the state directory " + state + " cannot be used: " + failure.getMessage()
                        + "; make room there and restore once more",
                failure);
    }

    private Restored look(LongConsumer progress) throws IOException {
        if (!Files.isDirectory(state)) {
            throw new JournalFailure(
                    "the state directory " + state + " is not there: make it, and put its secrets back first");
        }
        if (Files.exists(state.resolve("journal.db")) && Files.isSameFile(backup, state.resolve("journal.db"))) {
            throw new JournalFailure(backup + " is the journal of this state already");
        }
        JournalReport report = JournalCheck.of(backup, progress);
        if (!report.isReadable()) {
            throw new JournalFailure("the backup " + backup + " is damaged and was not restored: " + report.summary()
                    + ". Restore another, or save what can be read: spillway state salvage " + backup + " OUT");
        }
        refuseArchive(report, progress);
        Optional<StateMark> kept = stateId.read();
        if (kept.isPresent()
                && !report.identity().isEmpty()
                && !report.identity().equals(kept.get().identity())) {
            throw new JournalFailure("the backup " + backup + " is of another state than " + stateId.path()
                    + " and was not restored: nothing that runs would be in it");
        }
        return new Restored(report, kept.map(StateMark::commits), null);
    }

    private void refuseArchive(JournalReport report, LongConsumer progress) {
        Optional<Path> copy = archive();
        if (copy.isEmpty() || Files.exists(state.resolve(Archive.NAME))) {
            return;
        }
        JournalReport archive = JournalCheck.of(copy.get(), progress);
        if (!archive.isReadable()) {
            throw new JournalFailure(
                    "the archive " + copy.get() + " of the backup is damaged, and nothing was restored: "
                            + archive.summary() + ". Save what can be read of it (spillway state salvage " + copy.get()
                            + " OUT), or move it away to restore without it");
        }
        if (!archive.identity().equals(report.identity())) {
            throw new JournalFailure(
                    "the archive " + copy.get()
                            + " is of another state than the backup, and nothing was restored: move it away to restore without it");
        }
    }

    private @Nullable Path write(JournalReport report, Instant now) throws IOException {
        Path unfinished = state.resolve("journal.db.unfinished");
        try {
            Files.deleteIfExists(unfinished);
            Files.createFile(
                    unfinished, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.copy(backup, unfinished, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-------"));
            force(unfinished, true);
            Optional<StateMark> kept = stateId.read();
            if (kept.isPresent()) {
                // Above both: a copy that lacks nothing cannot be told from one that lacks the last seconds.
                stateId.write(kept.get().withCommits(Math.max(kept.get().commits(), report.commits()) + 1));
            }
            putArchive();
            Path aside = aside(now);
            Files.move(unfinished, state.resolve("journal.db"), StandardCopyOption.ATOMIC_MOVE);
            force(state, false);
            return aside;
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /**
     * The archive of a state stays, for it has whatever an earlier copy has. Where there is none, that of the backup is put there:
     * beside it under its name, or the one of the folder that a head copies to.
     */
    private void putArchive() throws IOException {
        Path place = state.resolve(Archive.NAME);
        Optional<Path> copy = archive();
        if (Files.exists(place) || copy.isEmpty()) {
            return;
        }
        Path unfinished = state.resolve(Archive.NAME + ".unfinished");
        try {
            Files.deleteIfExists(unfinished);
            Files.copy(copy.get(), unfinished, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-------"));
            force(unfinished, true);
            Files.move(unfinished, place, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /** Of the backup. */
    private Optional<Path> archive() {
        return Archive.beside(backup);
    }

    /** The log first: beside another database SQLite would take it for that one's. */
    private @Nullable Path aside(Instant now) throws IOException {
        Path old = state.resolve("journal.db.before-" + STAMP.format(now));
        Path moved = null;
        for (String part : PARTS) {
            Path from = state.resolve(part);
            if (Files.exists(from)) {
                Path to = state.resolve(old.getFileName() + part.substring("journal.db".length()));
                Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
                moved = old;
            }
        }
        force(state, false);
        return moved;
    }

    private static void force(Path path, boolean isFile) throws IOException {
        try (FileChannel channel = FileChannel.open(path, isFile ? WRITE : READ)) {
            channel.force(true);
        }
    }
}
