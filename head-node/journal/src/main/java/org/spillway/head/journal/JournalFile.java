package org.spillway.head.journal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.function.Consumer;
import org.spillway.head.past.JournalMark;
import org.sqlite.SQLiteConfig;

/**
 * The SQLite file of a state directory, locked, of the schema that this release writes: write-ahead log, synchronous
 * full, so a commit that returned is on disk. A lock file beside it keeps a second head out; the lock goes with the
 * process, also when that is killed.
 */
final class JournalFile implements AutoCloseable {
    /** Version of the tables, SQLite's {@code user_version}; a journal of a newer one is refused. */
    static final int SCHEMA = 6;

    /** Of SQLite, as in sqlite3.h. */
    private static final int READ_ONLY = 8;

    private static final int IO_ERROR = 10;
    private static final int CORRUPT = 11;
    static final int FULL = 13;
    private static final int CANNOT_OPEN = 14;
    private static final int NOT_A_DATABASE = 26;

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final FileChannel lockFile;
    private final Connection writer;
    private final Path file;
    private final JournalMark found;

    private JournalFile(FileChannel lockFile, Connection writer, Path file, JournalMark found) {
        this.lockFile = lockFile;
        this.writer = writer;
        this.file = file;
        this.found = found;
    }

    /**
     * Opens the journal of a state directory, making both when they are not there.
     *
     * @throws JournalFailure if another head has it, it is of a newer schema, damaged, or the disk does not let us
     */
    static JournalFile open(Path stateDirectory) {
        return open(stateDirectory, found -> {});
    }

    /** @param gate sees what is there before it is changed, and may refuse it by a {@link JournalFailure} */
    static JournalFile open(Path stateDirectory, Consumer<JournalMark> gate) {
        try {
            Files.createDirectories(stateDirectory);
            Files.setPosixFilePermissions(stateDirectory, PosixFilePermissions.fromString("rwx--x--x"));
            Path file = stateDirectory.resolve("journal.db");
            FileChannel lockFile = FileChannel.open(
                    stateDirectory.resolve("head.lock"),
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    OWNER_ONLY);
            try {
                lock(lockFile, stateDirectory);
                JournalMark found = look(file);
                gate.accept(found);
                if (!Files.exists(file)) {
                    Files.createFile(file, OWNER_ONLY);
                }
                return new JournalFile(lockFile, connect(file), file, found);
            } catch (IOException | RuntimeException e) {
                // Closing it lets go of the lock: a later try of this process must not find it taken.
                lockFile.close();
                throw e;
            }
        } catch (IOException e) {
            throw new JournalFailure(
                    "the state directory " + stateDirectory + " cannot be used: " + e.getMessage()
                            + "; check that it can be written and that its disk has room",
                    e);
        }
    }

    /** Before anything is written to it. */
    private static JournalMark look(Path file) throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return JournalMark.EMPTY;
        }
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(5000);
        try (Connection connection = config.createConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            long tables = number(statement, "SELECT count(*) FROM sqlite_master WHERE name IN ('counter', 'entry')");
            if (tables < 2) {
                return JournalMark.EMPTY;
            }
            long sequence = number(statement, "SELECT value FROM counter WHERE name = 'sequence'");
            boolean isEmpty = number(statement, "SELECT count(*) FROM (SELECT 1 FROM entry LIMIT 1)") == 0;
            if (number(statement, "SELECT count(*) FROM sqlite_master WHERE name = 'identity'") == 0) {
                return new JournalMark("", 0, 0, 0, sequence, isEmpty && sequence == 0);
            }
            String identity = "";
            try (ResultSet rows = statement.executeQuery("SELECT id FROM identity")) {
                identity = rows.next() ? rows.getString(1) : "";
            }
            return new JournalMark(
                    identity,
                    (int) number(statement, "SELECT value FROM counter WHERE name = 'epoch'"),
                    number(statement, "SELECT value FROM counter WHERE name = 'starts'"),
                    number(statement, "SELECT value FROM counter WHERE name = 'commits'"),
                    sequence,
                    identity.isEmpty() && isEmpty && sequence == 0);
        } catch (SQLException e) {
            throw notOpened(file, e);
        }
    }

    /** By what SQLite says of it: a full or read-only disk is no damage. */
    private static JournalFailure notOpened(Path file, SQLException e) {
        String advice = switch (e.getErrorCode() & 0xff) {
            case CORRUPT, NOT_A_DATABASE -> PastText.REPAIR;
            case FULL -> "make room on the disk of " + file.getParent() + ", then start again";
            case READ_ONLY, CANNOT_OPEN ->
                "let the user that the head runs as write to " + file.getParent() + " and all that is in it";
            case IO_ERROR ->
                "look whether the disk of " + file.getParent()
                        + " has room and can be written; its kernel log says more";
            default -> "";
        };
        return new JournalFailure(
                "the journal " + file + " cannot be opened: " + e.getMessage()
                        + (advice.isEmpty() ? "" : "; " + advice),
                e);
    }

    private static long number(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    /** The journal as it was before it was opened. */
    JournalMark found() {
        return found;
    }

    /** Keeps heads out until the file is closed. @throws JournalFailure if one is in */
    static void lock(FileChannel file, Path directory) throws IOException {
        FileLock lock = null;
        try {
            lock = file.tryLock();
        } catch (OverlappingFileLockException ours) {
            // Held by this very process: the message below says the same.
        }
        if (lock == null) {
            throw new JournalFailure("another head uses the state directory " + directory
                    + ": stop it first, or give this one its own 'state:'");
        }
    }

    /** For writing, brought to this release's tables; it does not commit by itself. */
    static Connection connect(Path file) {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout(5000);
        // Else each insert asks for its row's number, which nobody wants.
        config.setGetGeneratedKeys(false);
        try {
            Connection connection = config.createConnection("jdbc:sqlite:" + file);
            try {
                migrate(connection, file, SCHEMA);
                return connection;
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw notOpened(file, e);
        }
    }

    /** A new file, without tables, that does not commit by itself. */
    static Connection made(Path file) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        return config.createConnection("jdbc:sqlite:" + file);
    }

    /** @param wanted schema, at most {@link #SCHEMA}; the connection does not commit by itself any more */
    static void migrate(Connection connection, Path file, int wanted) throws SQLException {
        int found;
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("PRAGMA user_version")) {
            found = rows.next() ? rows.getInt(1) : 0;
        }
        if (found > SCHEMA) {
            throw new JournalFailure("the journal " + file + " has schema " + found + ", this release knows up to "
                    + SCHEMA + ": use the release that wrote it, or a newer one");
        }
        connection.setAutoCommit(false);
        ProgramText.teach(connection);
        for (int version = found + 1; version <= wanted; version++) {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate(script(version));
                statement.executeUpdate("PRAGMA user_version = " + version);
            }
            connection.commit();
        }
    }

    static String script(int version) {
        try (InputStream in = JournalFile.class.getResourceAsStream(version + ".sql")) {
            if (in == null) {
                throw new JournalFailure("the migration " + version + ".sql is missing from this installation");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new JournalFailure("the migration " + version + ".sql cannot be read", e);
        }
    }

    /** The one connection that writes; it does not commit by itself. */
    Connection writer() {
        return writer;
    }

    /**
     * A further connection. It sees each commit that has returned, and neither waits for a write nor holds one up.
     *
     * @throws JournalFailure if it cannot be had
     */
    Connection reader() {
        return reader(file);
    }

    /** The same of any such file. */
    static Connection reader(Path file) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(5000);
        try {
            return config.createConnection("jdbc:sqlite:" + file);
        } catch (SQLException e) {
            throw notOpened(file, e);
        }
    }

    /** Closes the writer and lets go of the lock; readers are to be closed before. */
    @Override
    public void close() {
        // Closing the lock file lets go of the lock.
        try (lockFile) {
            writer.close();
        } catch (SQLException | IOException e) {
            throw new JournalFailure("the journal could not be closed: " + e.getMessage(), e);
        }
    }

    /** SQLite itself has undone a transaction for which there was no room. */
    static void undo(Connection writer) throws SQLException {
        try {
            writer.rollback();
        } catch (SQLException none) {
            if (!String.valueOf(none.getMessage()).contains("no transaction is active")) {
                throw none;
            }
            // The driver begins the next one behind a rollback that went well, and only then.
            try (Statement begin = writer.createStatement()) {
                begin.execute("BEGIN");
            }
        }
    }
}
