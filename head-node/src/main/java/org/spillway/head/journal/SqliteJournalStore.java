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
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sqlite.SQLiteConfig;

/**
 * The journal in one SQLite file: write-ahead log, synchronous full, so a commit that returned is on disk. A lock file
 * beside it keeps a second head out; the lock goes with the process, also when that is killed.
 */
public final class SqliteJournalStore implements JournalStore {
    /** Version of the tables, SQLite's {@code user_version}; a journal of a newer one is refused. */
    static final int SCHEMA = 1;

    private static final int LAUNCHES_LOADED = 1000;

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final FileChannel lockFile;
    private final FileLock lock;
    private final Connection connection;

    private SqliteJournalStore(FileChannel lockFile, FileLock lock, Connection connection) {
        this.lockFile = lockFile;
        this.lock = lock;
        this.connection = connection;
    }

    /**
     * Opens the journal of a state directory, making both when they are not there.
     *
     * @throws JournalFailure if another head has it, it is of a newer schema, damaged, or the disk does not let us
     */
    public static SqliteJournalStore open(Path stateDirectory) {
        try {
            Files.createDirectories(stateDirectory);
            Files.setPosixFilePermissions(stateDirectory, PosixFilePermissions.fromString("rwx--x--x"));
            Path file = stateDirectory.resolve("journal.db");
            FileChannel lockFile = FileChannel.open(
                    stateDirectory.resolve("head.lock"),
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    OWNER_ONLY);
            FileLock lock = lock(lockFile, stateDirectory);
            try {
                if (!Files.exists(file)) {
                    Files.createFile(file, OWNER_ONLY);
                }
                return new SqliteJournalStore(lockFile, lock, connect(file));
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

    private static FileLock lock(FileChannel file, Path directory) throws IOException {
        FileLock lock = null;
        try {
            lock = file.tryLock();
        } catch (OverlappingFileLockException ours) {
            // Held by this very process: the message below says the same.
        }
        if (lock == null) {
            file.close();
            throw new JournalFailure("another head uses the state directory " + directory
                    + ": stop it first, or give this one its own 'state:'");
        }
        return lock;
    }

    private static Connection connect(Path file) {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout(5000);
        try {
            Connection connection = config.createConnection("jdbc:sqlite:" + file);
            try {
                migrate(connection, file);
                return connection;
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw new JournalFailure("the journal " + file + " cannot be opened: " + e.getMessage(), e);
        }
    }

    private static void migrate(Connection connection, Path file) throws SQLException {
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
        for (int version = found + 1; version <= SCHEMA; version++) {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate(script(version));
                statement.executeUpdate("PRAGMA user_version = " + version);
            }
            connection.commit();
        }
    }

    private static String script(int version) {
        try (InputStream in = SqliteJournalStore.class.getResourceAsStream(version + ".sql")) {
            if (in == null) {
                throw new JournalFailure("the migration " + version + ".sql is missing from this installation");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new JournalFailure("the migration " + version + ".sql cannot be read", e);
        }
    }

    @Override
    public synchronized void write(Instant at, List<? extends Entry> entries, List<Transition> transitions) {
        try {
            for (Entry entry : entries) {
                put(at, entry);
            }
            for (Transition line : transitions) {
                put(line);
            }
            connection.commit();
        } catch (SQLException e) {
            rollBack();
            throw new JournalFailure(
                    "the journal cannot be written: " + e.getMessage()
                            + "; the head stops rather than forget: make room on the disk and start it again",
                    e);
        } catch (RuntimeException e) {
            // Else the next commit would make this half durable.
            rollBack();
            throw e;
        }
    }

    private void rollBack() {
        try {
            connection.rollback();
        } catch (SQLException alreadyFailed) {
            // The first failure is the one to tell.
        }
    }

    private void put(Instant at, Entry entry) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT OR REPLACE INTO entry (kind, id, state, live, updated_at, body_schema, body)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?)")) {
            insert.setString(1, entry.kind());
            insert.setString(2, entry.id());
            insert.setString(3, entry.state());
            insert.setInt(4, entry.isLive() ? 1 : 0);
            insert.setLong(5, at.toEpochMilli());
            insert.setInt(6, EntryJson.SCHEMA);
            insert.setString(7, EntryJson.write(entry));
            insert.executeUpdate();
        }
        if (entry instanceof JobRecord job) {
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT OR IGNORE INTO submission (uid, idempotency_key, job) VALUES (?, ?, ?)")) {
                insert.setInt(1, job.spec().uid());
                insert.setString(2, job.spec().idempotencyKey());
                insert.setString(3, job.id());
                insert.executeUpdate();
            }
        }
    }

    private void put(Transition line) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO transition (at, kind, id, from_state, to_state, reason) VALUES (?, ?, ?, ?, ?, ?)")) {
            insert.setLong(1, line.at().toEpochMilli());
            insert.setString(2, line.kind());
            insert.setString(3, line.id());
            insert.setString(4, line.from());
            insert.setString(5, line.to());
            insert.setString(6, line.reason());
            insert.executeUpdate();
        }
    }

    @Override
    public synchronized List<Entry> load(Instant costFrom) {
        List<Entry> entries = new ArrayList<>(query("SELECT kind, id, body FROM entry WHERE live = 1"));
        entries.addAll(query(
                "SELECT kind, id, body FROM entry WHERE kind = 'node' AND live = 0 AND updated_at >= ?",
                Math.max(costFrom.getEpochSecond(), 0) * 1000));
        entries.addAll(query("SELECT kind, id, body FROM entry WHERE kind = 'intent' AND live = 0 AND id IN"
                + " (SELECT json_extract(body, '$.intent') FROM entry WHERE kind = 'node' AND live = 1)"));
        entries.addAll(query(
                        "SELECT kind, id, body FROM entry WHERE kind = 'launch' AND live = 0"
                                + " ORDER BY updated_at DESC LIMIT ?",
                        LAUNCHES_LOADED)
                .reversed());
        return entries;
    }

    @Override
    public synchronized Optional<JobRecord> job(String id) {
        return query("SELECT kind, id, body FROM entry WHERE kind = 'job' AND id = ?", id).stream()
                .map(JobRecord.class::cast)
                .findFirst();
    }

    @Override
    public synchronized Optional<JobRecord> jobByKey(int uid, String idempotencyKey) {
        return query(
                        "SELECT kind, id, body FROM entry WHERE kind = 'job' AND id ="
                                + " (SELECT job FROM submission WHERE uid = ? AND idempotency_key = ?)",
                        uid,
                        idempotencyKey)
                .stream()
                .map(JobRecord.class::cast)
                .findFirst();
    }

    @Override
    public synchronized List<JobRecord> endedJobs(int limit) {
        return query(
                        "SELECT kind, id, body FROM entry WHERE kind = 'job' AND live = 0"
                                + " ORDER BY updated_at DESC LIMIT ?",
                        limit)
                .stream()
                .map(JobRecord.class::cast)
                .toList();
    }

    @Override
    public synchronized List<JobRecord> tasks(String array) {
        // Between ID- and ID. lie all ids that begin with "ID-".
        return query(
                        "SELECT kind, id, body FROM entry WHERE kind = 'job' AND id >= ? AND id < ?",
                        array + "-",
                        array + ".")
                .stream()
                .map(JobRecord.class::cast)
                .filter(job -> JournalStore.isTask(job, array))
                .sorted(BY_INDEX)
                .toList();
    }

    @Override
    public synchronized List<Transition> timeline(String kind, String id) {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT at, from_state, to_state, reason FROM transition WHERE kind = ? AND id = ? ORDER BY sequence")) {
            select.setString(1, kind);
            select.setString(2, id);
            List<Transition> lines = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    lines.add(new Transition(
                            Instant.ofEpochMilli(rows.getLong(1)),
                            kind,
                            id,
                            rows.getString(2),
                            rows.getString(3),
                            rows.getString(4)));
                }
            }
            return lines;
        } catch (SQLException e) {
            throw new JournalFailure("the journal cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public synchronized long nextSequence() {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE counter SET value = value + 1 WHERE name = 'sequence'");
            long next;
            try (ResultSet rows = statement.executeQuery("SELECT value FROM counter WHERE name = 'sequence'")) {
                next = rows.getLong(1);
            }
            connection.commit();
            return next;
        } catch (SQLException e) {
            rollBack();
            throw new JournalFailure("the journal cannot be written: " + e.getMessage(), e);
        }
    }

    /** How SQLite is set up in truth, for the tests: some of these hold for one connection only. */
    synchronized String pragma(String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("PRAGMA " + name)) {
            return rows.getString(1);
        }
    }

    private List<Entry> query(String sql, Object... arguments) {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                select.setObject(i + 1, arguments[i]);
            }
            List<Entry> entries = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    entries.add(EntryJson.read(rows.getString(1), rows.getString(2), rows.getString(3)));
                }
            }
            return entries;
        } catch (SQLException e) {
            throw new JournalFailure("the journal cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public synchronized void close() {
        try {
            connection.close();
            lock.release();
            lockFile.close();
        } catch (SQLException | IOException e) {
            throw new JournalFailure("the journal could not be closed: " + e.getMessage(), e);
        }
    }
}
