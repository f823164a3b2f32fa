package org.spillway.head.journal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JournalReport.Damage;
import org.sqlite.SQLiteConfig;

/**
 * A whole read of a journal or a backup of one: its pages (SQLite's own integrity check), its tables, each record decoded,
 * and what records need of each other. Changes nothing.
 */
public final class JournalCheck {
    private static final int PATIENCE_MILLIS = 5000;
    private static final int TOLD_EVERY = 1000;
    private static final int CAUSES_REMEMBERED = 10_000;

    private final Path file;
    private final LongConsumer progress;
    private final List<Damage> damages = new ArrayList<>();
    private final References references = new References();
    private final Set<String> causes = new HashSet<>();
    private long more;
    private long records;
    private long lines;

    private JournalCheck(Path file, LongConsumer progress) {
        this.file = file;
        this.progress = progress;
    }

    /**
     * Reads it.
     *
     * @param file a journal of which no head is running, or a backup
     * @param progress told now and then how many rows were read
     * @throws JournalFailure if there is no such file, or it is of a later release; all else is a damage
     */
    public static JournalReport of(Path file, LongConsumer progress) {
        if (!Files.isRegularFile(file)) {
            throw new JournalFailure("there is no journal at " + file);
        }
        return new JournalCheck(file, progress).read();
    }

    private JournalReport read() {
        int schema = 0;
        String identity = "";
        long epoch = 0;
        long commits = 0;
        try (Connection connection = open(file);
                Statement statement = connection.createStatement()) {
            schema = (int) number(statement, "PRAGMA user_version");
            if (schema > JournalFile.SCHEMA) {
                throw new JournalFailure("the journal " + file + " has schema " + schema + ", this release knows up to "
                        + JournalFile.SCHEMA + ": use the release that wrote it, or a newer one");
            }
            pages(statement);
            if (schema == 0) {
                damage("pages", "", "it is no journal: it has no tables of ours");
            } else if (schema < JournalFile.SCHEMA) {
                records = number(statement, "SELECT count(*) FROM entry");
            } else {
                entries(connection);
                programs(statement);
                timelines(statement);
                identity = text(statement, "SELECT id FROM identity");
                epoch = number(statement, "SELECT value FROM counter WHERE name = 'epoch'");
                commits = number(statement, "SELECT value FROM counter WHERE name = 'commits'");
                counters(statement);
                references.missing().forEach(this::damage);
            }
        } catch (SQLException unreadable) {
            damage("pages", "", unreadable.getMessage());
        }
        return new JournalReport(file, size(), schema, identity, (int) epoch, commits, records, lines, damages, more);
    }

    static Connection open(Path file) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(PATIENCE_MILLIS);
        return config.createConnection("jdbc:sqlite:" + file.toAbsolutePath());
    }

    private long size() {
        try {
            return Files.size(file);
        } catch (IOException gone) {
            return 0;
        }
    }

    private void damage(String table, String key, @Nullable String what) {
        damage(new Damage(table, key, String.valueOf(what)));
    }

    private void damage(Damage found) {
        if (damages.size() < JournalReport.MOST) {
            damages.add(found);
        } else {
            more++;
        }
    }

    private void pages(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("PRAGMA integrity_check(100)")) {
            while (rows.next()) {
                String said = rows.getString(1);
                if (!said.equals("ok")) {
                    said.lines().forEach(line -> damage("pages", "", line));
                }
            }
        }
    }

    private void entries(Connection connection) {
        Bodies bodies = new Bodies(connection);
        String after = "";
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT kind, id, state, live, uid, body_schema, body, program IS NOT NULL AND NOT EXISTS"
                                + " (SELECT 1 FROM program WHERE digest = entry.program) FROM entry ORDER BY kind, id")) {
            while (rows.next()) {
                after = rows.getString(1) + " " + rows.getString(2);
                entry(bodies, rows);
                count(++records);
            }
        } catch (SQLException unreadable) {
            damage("entry", after.isEmpty() ? "" : "after " + after, unreadable.getMessage());
        }
    }

    private void entry(Bodies bodies, ResultSet row) throws SQLException {
        String kind = row.getString(1);
        String id = row.getString(2);
        String key = kind + " " + id;
        if (row.getInt(6) > EntryJson.SCHEMA) {
            damage("entry", key, "it is of a later release, as version " + row.getInt(6));
            return;
        }
        Entry entry;
        try {
            entry = bodies.decode(kind, id, row.getObject(7));
        } catch (JournalFailure undecoded) {
            damage("entry", key, "it cannot be decoded: " + Bodies.why(undecoded));
            return;
        }
        if (entry == null) {
            return;
        }
        try {
            references.see(entry);
            if (row.getInt(8) == 1) {
                // Without its script an ended job is still known; one that is to run is not.
                damage(entry.isLive() ? "entry" : Damage.REFERENCE, key, "its script is not there");
            }
            if (!entry.id().equals(id)) {
                damage("entry", key, "its body is that of " + entry.id());
            }
            if (!entry.state().equals(row.getString(3)) || entry.isLive() != (row.getInt(4) == 1)) {
                damage(
                        "entry",
                        key,
                        "it stands there as " + row.getString(3) + (row.getInt(4) == 1 ? ", live" : ", ended")
                                + ", and its body says " + entry.state());
            }
            if (entry instanceof JobRecord job && job.spec().uid() != row.getInt(5)) {
                damage(
                        "entry",
                        key,
                        "it stands there as uid " + row.getInt(5) + "'s, and its body says "
                                + job.spec().uid());
            }
        } catch (RuntimeException incomplete) {
            // A field that no record of ours lacks is not there.
            damage("entry", key, "it is not whole: " + Bodies.why(incomplete));
        }
    }

    private void programs(Statement statement) {
        long after = 0;
        try (ResultSet rows = statement.executeQuery("SELECT id, digest, body FROM program ORDER BY id")) {
            while (rows.next()) {
                after = rows.getLong(1);
                String why = ProgramText.mistake(rows.getString(2), rows.getString(3));
                if (!why.isEmpty()) {
                    damage("program", Long.toString(after), why);
                }
            }
        } catch (SQLException unreadable) {
            damage("program", "after " + after, unreadable.getMessage());
        }
    }

    private void timelines(Statement statement) {
        long after = 0;
        try (ResultSet rows = statement.executeQuery("SELECT sequence, cause FROM transition ORDER BY sequence")) {
            while (rows.next()) {
                after = rows.getLong(1);
                cause(after, rows.getString(2));
                count(++lines);
            }
        } catch (SQLException unreadable) {
            damage("transition", "after " + after, unreadable.getMessage());
        }
    }

    private void cause(long sequence, @Nullable String json) {
        if (json != null && causes.contains(json)) {
            return;
        }
        try {
            EntryJson.cause(Objects.requireNonNull(json, "it has no cause"));
            if (causes.size() < CAUSES_REMEMBERED) {
                causes.add(json);
            }
        } catch (JournalFailure | NullPointerException undecoded) {
            damage("transition", Long.toString(sequence), "its cause cannot be decoded: " + Bodies.why(undecoded));
        }
    }

    private void counters(Statement statement) throws SQLException {
        for (String name : List.of("sequence", "epoch", "starts", "commits")) {
            if (number(statement, "SELECT count(*) FROM counter WHERE name = '" + name + "'") != 1) {
                damage("counter", name, "it is missing");
            }
        }
        long sequence = number(statement, "SELECT value FROM counter WHERE name = 'sequence'");
        if (sequence < references.highest()) {
            damage(
                    "counter",
                    "sequence",
                    String.format(
                            Locale.ROOT,
                            "it is %d, and job %d is there: numbers would be given twice",
                            sequence,
                            references.highest()));
        }
    }

    private void count(long read) {
        if (read % TOLD_EVERY == 0) {
            progress.accept(records + lines);
        }
    }

    private static long number(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getString(1) : "";
        }
    }
}
