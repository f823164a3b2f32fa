package org.spillway.head.journal;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/**
 * Old jobs, nodes, clusters and decisions in a file of their own, {@code archive.db}, which has the tables of a journal: what checks, saves, copies or
 * takes over a journal does so with it, too. There is none before something is old. It is written by one thread; any reads.
 */
final class Archive implements AutoCloseable {
    static final String NAME = "archive.db";

    /** Kinds that end, and that nothing which lives needs then. Jobs first: they are the most. */
    private static final List<String> KINDS = List.of(
            "job",
            "node",
            "intent",
            "egress",
            "recovery",
            "delegated",
            "notice",
            "cluster",
            "stage",
            DecisionEntry.KIND);

    private final Path journal;
    private final Path file;
    private @Nullable Connection writer;
    private volatile @Nullable SqliteReader reader;

    /** @throws JournalFailure if it is there and cannot be opened */
    Archive(Path stateDirectory) {
        this.journal = stateDirectory.resolve("journal.db");
        this.file = stateDirectory.resolve(NAME);
        if (Files.exists(file)) {
            reader = new SqliteReader(JournalFile.reader(file));
        }
    }

    /**
     * An entry as both files have it.
     *
     * @param at of its last change, in milliseconds
     * @param uid and key under which it was submitted; empty for what is no job
     * @param program its digest; null for none
     */
    record Old(
            String kind,
            String id,
            long at,
            int uid,
            String key,
            @Nullable String program) {}

    /** Empty before something is in it. */
    Optional<SqliteReader> reader() {
        return Optional.ofNullable(reader);
    }

    /**
     * Copies some of what is old, durably. The journal still has it then, and is to let go of what has not changed since.
     *
     * @param jobsBefore jobs that ended before it
     * @param pricedBefore nodes, clusters and costs of which the last word is older: no budget period reaches there
     * @param decisions so many of the latest stay, if they are not older than jobs are
     * @return the copied ones, of one kind; empty when nothing is old
     */
    List<Old> take(Instant jobsBefore, Instant pricedBefore, int decisions, int most) {
        try {
            Connection to = writer();
            try {
                for (String kind : KINDS) {
                    boolean isPriced = !kind.equals("job") && !kind.equals(DecisionEntry.KIND);
                    if (choose(to, kind, isPriced ? pricedBefore : jobsBefore, decisions, most)) {
                        List<Old> chosen = chosen(to);
                        if (kind.equals(DecisionEntry.KIND)) {
                            PackedBases.copy(to, chosen.stream().map(Old::id).toList());
                        }
                        copy(to);
                        to.commit();
                        return chosen;
                    }
                }
                to.rollback();
                return List.of();
            } catch (SQLException e) {
                to.rollback();
                throw e;
            }
        } catch (SQLException e) {
            close();
            throw new JournalFailure(
                    "the archive " + file + " cannot be written: " + e.getMessage()
                            + "; old jobs stay in the journal until it can",
                    e);
        }
    }

    private static boolean choose(Connection to, String kind, Instant before, int decisions, int most)
            throws SQLException {
        try (Statement clear = to.createStatement()) {
            clear.executeUpdate("DELETE FROM temp.old");
        }
        try (PreparedStatement insert =
                to.prepareStatement("INSERT INTO temp.old SELECT kind, id, program FROM journal.entry"
                        + " WHERE kind = ?1 AND live = 0 AND (updated_at < ?2" + beyond(kind) + ")" + notNeeded(kind)
                        + " ORDER BY updated_at LIMIT ?4")) {
            insert.setString(1, kind);
            insert.setLong(2, before.toEpochMilli());
            insert.setInt(3, decisions - 1);
            insert.setInt(4, most);
            return insert.executeUpdate() > 0;
        }
    }

    private static String beyond(String kind) {
        return kind.equals(DecisionEntry.KIND)
                ? " OR updated_at < (SELECT updated_at FROM journal.entry WHERE kind = ?1 AND live = 0"
                        + " ORDER BY updated_at DESC LIMIT 1 OFFSET ?3)"
                : " OR ?3 < 0";
    }

    /** Records that live may name one that has ended. */
    private static String notNeeded(String kind) {
        return switch (kind) {
            case "intent" ->
                " AND id NOT IN (SELECT body ->> '$.intent' FROM journal.entry"
                        + " WHERE kind = 'node' AND live = 1 AND body ->> '$.intent' IS NOT NULL)";
            case "cluster" ->
                " AND id NOT IN (SELECT body ->> '$.cluster' FROM journal.entry"
                        + " WHERE kind IN ('delegated', 'notice') AND live = 1 AND body ->> '$.cluster' IS NOT NULL)";
            default -> "";
        };
    }

    private static List<Old> chosen(Connection to) throws SQLException {
        List<Old> chosen = new ArrayList<>();
        try (Statement statement = to.createStatement();
                ResultSet rows = statement.executeQuery("SELECT kind, id, updated_at, uid,"
                        + " CASE kind WHEN 'job' THEN " + KEY + " END, program"
                        + " FROM temp.old JOIN journal.entry AS e USING (kind, id)")) {
            while (rows.next()) {
                chosen.add(new Old(
                        rows.getString(1),
                        rows.getString(2),
                        rows.getLong(3),
                        rows.getInt(4),
                        Objects.requireNonNullElse(rows.getString(5), ""),
                        rows.getString(6)));
            }
        }
        return chosen;
    }

    /** Of releases that had no digests it is a text. */
    private static final String KEY =
            "coalesce(e.body ->> '$.spec.idempotencyKey.value', e.body ->> '$.spec.idempotencyKey')";

    /** Whatever of these an earlier try has left, or an older journal has had, is replaced. */
    private static void copy(Connection to) throws SQLException {
        try (Statement statement = to.createStatement()) {
            statement.executeUpdate("INSERT OR IGNORE INTO main.program (digest, body) SELECT digest, body"
                    + " FROM journal.program WHERE digest IN"
                    + " (SELECT its FROM temp.old WHERE its IS NOT NULL)");
            statement.executeUpdate("INSERT OR REPLACE INTO main.entry"
                    + " (kind, id, state, live, updated_at, body_schema, body, uid, program)"
                    + " SELECT kind, id, state, live, updated_at, body_schema, body, uid, program"
                    + " FROM temp.old JOIN journal.entry USING (kind, id)");
            statement.executeUpdate("INSERT OR REPLACE INTO main.submission (uid, idempotency_key, job)"
                    + " SELECT s.uid, s.idempotency_key, s.job FROM temp.old JOIN journal.entry AS e USING (kind, id)"
                    + " JOIN journal.submission AS s ON s.uid = e.uid AND s.idempotency_key = " + KEY
                    + " AND s.job = e.id WHERE old.kind = 'job'");
            // Numbers of lines are each file's own: the journal may give those of its last lines once more.
            statement.executeUpdate("DELETE FROM main.transition WHERE (kind, id) IN (SELECT kind, id FROM temp.old)");
            statement.executeUpdate("INSERT INTO main.transition (at, kind, id, from_state, to_state, cause)"
                    + " SELECT at, kind, id, from_state, to_state, cause FROM temp.old"
                    + " JOIN journal.transition USING (kind, id) ORDER BY sequence");
            statement.executeUpdate(
                    "UPDATE main.counter SET value = max(value, (SELECT value FROM journal.counter AS its"
                            + " WHERE its.name = 'sequence')) WHERE name = 'sequence'");
            statement.executeUpdate("UPDATE main.counter SET value = (SELECT value FROM journal.counter AS its"
                    + " WHERE its.name = 'epoch') WHERE name = 'epoch'");
            statement.executeUpdate("DELETE FROM main.identity");
            statement.executeUpdate("INSERT INTO main.identity (id) SELECT id FROM journal.identity");
            count(statement);
        }
    }

    private static void count(Statement statement) throws SQLException {
        statement.executeUpdate("UPDATE main.counter SET value = value + 1 WHERE name = 'commits'");
    }

    /**
     * Deletes some of what is older, for good.
     *
     * @param decisionsBefore the same for decisions
     * @return how many entries; zero when none is left to delete
     */
    int forget(Instant before, Instant decisionsBefore, int most) {
        if (reader == null) {
            return 0;
        }
        try {
            Connection to = writer();
            try (Statement statement = to.createStatement()) {
                statement.executeUpdate("DELETE FROM temp.old");
                int found = 0;
                for (String kind : KINDS) {
                    Instant limit = kind.equals(DecisionEntry.KIND) ? decisionsBefore : before;
                    found += statement.executeUpdate("INSERT INTO temp.old SELECT kind, id, program FROM main.entry"
                            + " WHERE kind = '" + kind + "' AND live = 0 AND updated_at < " + limit.toEpochMilli()
                            + " ORDER BY updated_at LIMIT " + (most - found));
                }
                if (found > 0) {
                    statement.executeUpdate(
                            "DELETE FROM main.submission WHERE (uid, idempotency_key) IN (SELECT e.uid, " + KEY
                                    + " FROM temp.old JOIN main.entry AS e USING (kind, id) WHERE old.kind = 'job')");
                    for (String table : List.of("transition", "entry")) {
                        statement.executeUpdate(
                                "DELETE FROM main." + table + " WHERE (kind, id) IN (SELECT kind, id FROM temp.old)");
                    }
                    PackedBases.dropUnused(statement);
                    statement.executeUpdate(
                            "DELETE FROM main.program WHERE digest IN (SELECT its FROM temp.old) AND NOT EXISTS"
                                    + " (SELECT 1 FROM main.entry WHERE entry.program = program.digest)");
                    count(statement);
                }
                to.commit();
                return found;
            } catch (SQLException e) {
                to.rollback();
                throw e;
            }
        } catch (SQLException e) {
            close();
            throw new JournalFailure("the archive " + file + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** The archive that belongs to a journal or a copy of one, by their names; empty where there is none. */
    static Optional<Path> beside(Path file) {
        Path journal = file.toAbsolutePath();
        List<Path> places = new ArrayList<>(List.of(JournalBackup.archiveOf(journal)));
        if (journal.endsWith("journal.db") || BackupFolder.isName(journal)) {
            places.add(BackupFolder.archiveOf(journal));
        }
        return places.stream().filter(Files::exists).findFirst();
    }

    /** Whether a copy of an archive has all that was ever moved there. */
    static boolean isCopy(Path archive, Path copy) {
        return Files.exists(copy) && !word(copy).isEmpty() && word(archive).equals(word(copy));
    }

    /** Identity of its state and how often it was written to; empty where that cannot be read. */
    private static String word(Path file) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(5000);
        try (Connection connection = config.createConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT value || ' ' || coalesce((SELECT id FROM identity), '') FROM counter WHERE name = 'commits'")) {
            return rows.next() ? rows.getString(1) : "";
        } catch (SQLException unreadable) {
            return "";
        }
    }

    private Connection writer() throws SQLException {
        Connection known = writer;
        if (known != null) {
            return known;
        }
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException there) {
            // Of an earlier life.
        } catch (IOException e) {
            throw new JournalFailure("the archive " + file + " cannot be made: " + e.getMessage(), e);
        }
        Connection fresh = JournalFile.connect(file);
        try {
            fresh.setAutoCommit(true);
            try (PreparedStatement attach = fresh.prepareStatement("ATTACH DATABASE ? AS journal")) {
                attach.setString(1, journal.toString());
                attach.execute();
            }
            try (Statement statement = fresh.createStatement()) {
                statement.executeUpdate("CREATE TEMP TABLE old (kind TEXT, id TEXT, its TEXT, PRIMARY KEY (kind, id))");
            }
            fresh.setAutoCommit(false);
        } catch (SQLException e) {
            fresh.close();
            throw e;
        }
        writer = fresh;
        if (reader == null) {
            reader = new SqliteReader(JournalFile.reader(file));
        }
        return fresh;
    }

    /**
     * Refuses the archive of another state, and one that this release cannot read.
     *
     * @param identity of the journal; empty for one that is no head's
     */
    void check(String identity) {
        if (reader == null) {
            return;
        }
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(5000);
        String whose = "";
        try (Connection connection = config.createConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            boolean isNew;
            try (ResultSet rows = statement.executeQuery("PRAGMA user_version")) {
                isNew = rows.getInt(1) == 0;
            }
            if (!isNew) {
                try (ResultSet rows = statement.executeQuery("SELECT id FROM identity")) {
                    whose = rows.next() ? rows.getString(1) : "";
                }
            }
            if (!identity.isEmpty() && !whose.isEmpty() && !whose.equals(identity)) {
                throw new JournalFailure(
                        "the archive " + file + " is of another state than the journal beside it: put the"
                                + " right one there, or move it away (the head starts without one)");
            }
            // Made, or brought to this release's tables, before it is read.
            writer();
        } catch (SQLException e) {
            throw new JournalFailure(
                    "the archive " + file + " cannot be read: " + e.getMessage()
                            + "; put back that of a backup, save what can be read (spillway state salvage " + file
                            + " OUT), or move it away: the head starts without one",
                    e);
        }
    }

    @Override
    public void close() {
        try {
            Connection known = writer;
            writer = null;
            if (known != null) {
                known.close();
            }
        } catch (SQLException e) {
            throw new JournalFailure("the archive could not be closed: " + e.getMessage(), e);
        }
    }

    /** With its reader, for good. */
    void end() throws SQLException {
        close();
        SqliteReader known = reader;
        if (known != null) {
            known.close();
        }
    }
}
