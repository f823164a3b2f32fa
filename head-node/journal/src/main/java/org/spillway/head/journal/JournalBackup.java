package org.spillway.head.journal;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.sqlite.ProgressHandler;

/**
 * A copy of a journal as it was at one moment, while a head may write to it or none runs. The journal only: keys and
 * passwords of {@code secrets} do not belong into a file that is copied about, and {@code secrets/state-id} is what tells
 * an older journal from the last one, so that it must not grow old with it.
 *
 * <p>Written beside its place under another name, read back as a whole, synchronised, and renamed: a file of the wanted name
 * is a backup that can be read.
 */
public final class JournalBackup {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final String UNFINISHED = ".unfinished-";
    /** Steps of SQLite's machine: a millisecond, or a few. */
    private static final int STEPS = 1000;

    private final Path journal;
    private final Path target;
    private final boolean replace;
    private final Watch watch;

    /** An observer of a backup, on its thread. */
    public interface Watch {
        Watch NONE = new Watch() {};

        /** @param done of {@code all}, both in bytes; the last may be more than the copy will have */
        default void copied(long done, long all) {}

        /** @param rows of the copy that were read back so far */
        default void verified(long rows) {}

        /** Whether it is to be given up; asked often. */
        default boolean isStopped() {
            return false;
        }
    }

    private JournalBackup(Path journal, Path target, boolean replace, Watch watch) {
        this.journal = journal;
        this.target = target;
        this.replace = replace;
        this.watch = watch;
    }

    /**
     * Copies a state's journal. Takes a second for each few dozen megabytes, holds up no write, and needs as much room
     * as the journal has.
     *
     * @param state directory of a head that runs or does not
     * @param target a file in a folder that is there
     * @param replace whether a file of that name may be replaced
     * @return findings of the copy, which is whole
     * @throws JournalFailure if there is no backup; nothing of the name {@code target} was changed then
     */
    public static JournalReport write(Path state, Path target, boolean replace, Watch watch) {
        return new JournalBackup(
                        state.resolve("journal.db"), target.toAbsolutePath().normalize(), replace, watch)
                .write();
    }

    /**
     * Copies a state's archive in the same way, where it has one. The journal is to be copied before: what is moved meanwhile is
     * in both copies then, which is no harm, and never in none.
     *
     * @return empty where there is no archive, or {@code target} is a copy of it as it is
     * @throws JournalFailure as {@link #write}
     */
    public static Optional<JournalReport> archive(Path state, Path target, boolean replace, Watch watch) {
        Path archive = state.resolve(Archive.NAME);
        if (!Files.exists(archive) || (replace && Archive.isCopy(archive, target))) {
            return Optional.empty();
        }
        return Optional.of(new JournalBackup(archive, target.toAbsolutePath().normalize(), replace, watch).write());
    }

    /** Where the archive of a backup lies: beside it, under its name and this. */
    public static Path archiveOf(Path backup) {
        return backup.resolveSibling(backup.getFileName() + ".archive");
    }

    private JournalReport write() {
        Path folder = refuse();
        Path unfinished = folder.resolve("." + target.getFileName() + UNFINISHED
                + UUID.randomUUID().toString().substring(0, 8));
        try {
            sweep(folder);
            // New and closed before SQLite writes to it: whoever may write to the folder cannot lead it elsewhere.
            Files.createFile(unfinished, OWNER_ONLY);
            copy(unfinished);
            JournalReport report = verified(unfinished);
            try (FileChannel written = FileChannel.open(unfinished, WRITE)) {
                written.force(true);
            }
            refuseIfThere();
            move(unfinished);
            try (FileChannel place = FileChannel.open(folder, READ)) {
                place.force(true);
            }
            return report;
        } catch (SQLException | IOException failure) {
            throw new JournalFailure("the backup " + target + " cannot be written: " + sentence(failure), failure);
        } finally {
            delete(unfinished);
        }
    }

    private static String sentence(Exception failure) {
        if (failure instanceof SQLException sql && sql.getErrorCode() == 9) {
            return "it was given up";
        }
        String said = failure instanceof FileSystemException file && file.getReason() != null
                ? file.getReason()
                : String.valueOf(failure.getMessage());
        return said + "; nothing of that name was changed. Make room there, or name another place";
    }

    /** @return the folder of the backup */
    private Path refuse() {
        if (!Files.isRegularFile(journal)) {
            throw new JournalFailure("there is no journal at " + journal + ": nothing to back up");
        }
        Path folder = target.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new JournalFailure("the folder of the backup " + target + " is not there: make it, or name another");
        }
        if (Files.isDirectory(target)) {
            throw new JournalFailure("the backup " + target + " is a folder: name a file in it");
        }
        if (target.startsWith(journal.toAbsolutePath().normalize())
                || (target.getFileName().toString().matches("(journal|archive)\\.db(-wal|-shm)?")
                        && folder.equals(journal.toAbsolutePath().normalize().getParent()))) {
            throw new JournalFailure("the backup " + target + " would replace the journal itself: name another file");
        }
        refuseIfThere();
        try {
            long needed = size(journal) + size(journal.resolveSibling(journal.getFileName() + "-wal"));
            long free = Files.getFileStore(folder).getUsableSpace();
            if (free < needed) {
                throw new JournalFailure("the backup " + target + " needs up to " + megabytes(needed) + " MB, and "
                        + folder + " has " + megabytes(free) + " left: make room there, or name another place");
            }
        } catch (IOException unknown) {
            // Writing will tell.
        }
        return folder;
    }

    private static long megabytes(long bytes) {
        return (bytes + 999_999) / 1_000_000;
    }

    private void refuseIfThere() {
        if (!replace && Files.exists(target)) {
            throw new JournalFailure("the backup " + target
                    + " is there already and was left as it is: name another file, or say --replace");
        }
    }

    private static long size(Path file) throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    private void copy(Path unfinished) throws SQLException, IOException {
        long all = size(journal);
        try (Connection connection = JournalCheck.open(journal)) {
            ProgressHandler.setHandler(connection, STEPS, new ProgressHandler() {
                @Override
                protected int progress() {
                    try {
                        watch.copied(size(unfinished), all);
                    } catch (IOException unknown) {
                        // Only its progress is not known.
                    }
                    return watch.isStopped() ? 1 : 0;
                }
            });
            try (PreparedStatement vacuum = connection.prepareStatement("VACUUM INTO ?")) {
                vacuum.setString(1, unfinished.toString());
                vacuum.execute();
            } finally {
                ProgressHandler.clearHandler(connection);
            }
        }
    }

    private JournalReport verified(Path unfinished) {
        JournalReport report = JournalCheck.of(unfinished, watch::verified);
        if (!report.isReadable()) {
            throw new JournalFailure("the journal " + journal + " cannot be backed up, it is damaged: "
                    + report.summary() + ". Keep the backups that are there; 'spillway state check' lists all of it");
        }
        return report;
    }

    private void move(Path unfinished) throws IOException {
        try {
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException impossible) {
            throw new IOException("that file system cannot rename", impossible);
        }
    }

    /** Leftovers of backups of that name which were cut off. */
    private void sweep(Path folder) throws IOException {
        String begin = "." + target.getFileName() + UNFINISHED;
        try (var inside = Files.list(folder)) {
            for (Path left : inside.filter(one -> one.getFileName().toString().startsWith(begin))
                    .toList()) {
                delete(left);
            }
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(file.resolveSibling(file.getFileName() + "-journal"));
        } catch (IOException left) {
            // The next backup of that name sweeps it away.
        }
    }
}
