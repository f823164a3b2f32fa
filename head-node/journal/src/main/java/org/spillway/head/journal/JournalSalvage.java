package org.spillway.head.journal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.spillway.head.journal.JournalReport.Damage;
import org.sqlite.SQLiteConfig;

/**
 * All rows of a damaged journal that can be read, in a new file. Rows behind a page that cannot be read are asked for by the
 * keys that an index has of them. The damaged file stays as it is.
 */
public final class JournalSalvage {
    private static final List<String> TABLES =
            List.of("counter", "identity", "run", "program", "entry", "submission", "transition");

    private final Path file;
    private final Path out;

    private JournalSalvage(Path file, Path out) {
        this.file = file;
        this.out = out;
    }

    /**
     * Rows that were saved, and those that were not.
     *
     * @param lost rows by name, and pieces of tables of which no row can be named
     * @param report of the new file
     */
    public record Salvaged(long saved, List<Damage> lost, JournalReport report) {
        public Salvaged {
            lost = List.copyOf(lost);
        }
    }

    /**
     * Saves what can be read.
     *
     * @param file a journal or a copy of one; only read
     * @param out a new file, of mode 600
     * @throws JournalFailure if nothing can be read, or the new file cannot be written
     */
    public static Salvaged write(Path file, Path out) {
        if (!Files.isRegularFile(file)) {
            throw new JournalFailure("there is no journal at " + file);
        }
        return new JournalSalvage(file, out.toAbsolutePath().normalize()).write();
    }

    private Salvaged write() {
        try {
            Files.createFile(out, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (IOException taken) {
            throw new JournalFailure(
                    "the file " + out + " cannot be made: "
                            + (Files.exists(out) ? "it is there already" : String.valueOf(taken.getMessage()))
                            + "; name another",
                    taken);
        }
        boolean isDone = false;
        try {
            Salvaged salvaged = rows();
            isDone = true;
            return salvaged;
        } finally {
            if (!isDone) {
                delete();
            }
        }
    }

    private Salvaged rows() {
        List<Damage> lost = new ArrayList<>();
        long saved = 0;
        try (Connection from = open();
                Connection to = JournalFile.made(out)) {
            int schema = schema(from);
            if (schema < 1 || schema > JournalFile.SCHEMA) {
                throw new JournalFailure("nothing can be saved of " + file + ": it has schema " + schema
                        + ", this release knows 1 to " + JournalFile.SCHEMA);
            }
            JournalFile.migrate(to, out, schema);
            try (Statement clear = to.createStatement()) {
                clear.executeUpdate("DELETE FROM counter");
            }
            for (String table : TABLES) {
                if (SalvagedTable.isThere(to, table)) {
                    SalvagedTable rows = new SalvagedTable(from, to, table, schema);
                    saved += rows.save();
                    lost.addAll(rows.lost());
                    to.commit();
                }
            }
            complete(to, schema, lost);
            to.commit();
        } catch (SQLException unreadable) {
            throw new JournalFailure(
                    "nothing can be saved of " + file + ": " + unreadable.getMessage() + "; use a backup", unreadable);
        }
        return new Salvaged(saved, lost, JournalCheck.of(out, read -> {}));
    }

    /** Counters that are lost are such that the next head begins an epoch; keys of submissions are in their jobs, too. */
    private static void complete(Connection to, int schema, List<Damage> lost) throws SQLException {
        try (Statement statement = to.createStatement()) {
            String highest = "(SELECT coalesce(max(CAST(id AS INTEGER)), 0) FROM entry WHERE kind = 'job')";
            if (statement.executeUpdate(
                            "INSERT OR IGNORE INTO counter (name, value) VALUES ('sequence', " + highest + ")")
                    == 1) {
                lost.add(new Damage(
                        "counter", "sequence", "it begins behind the largest number of a job that was saved"));
            }
            statement.executeUpdate("UPDATE counter SET value = max(value, " + highest + ") WHERE name = 'sequence'");
            if (schema >= 5) {
                statement.executeUpdate(
                        "INSERT OR IGNORE INTO counter (name, value) VALUES ('epoch', 0), ('starts', 0), ('commits', 0)");
            }
            if (schema == JournalFile.SCHEMA) {
                statement.executeUpdate("INSERT OR IGNORE INTO submission (uid, idempotency_key, job)"
                        + " SELECT uid, body ->> '$.spec.idempotencyKey.value', id FROM entry WHERE kind = 'job'"
                        + " AND body ->> '$.spec.idempotencyKey.value' IS NOT NULL");
                withoutProgram(statement, lost);
            }
        }
    }

    /** A job that was to run must not run nothing; one that has ended needs its program no more. */
    private static void withoutProgram(Statement statement, List<Damage> lost) throws SQLException {
        String its = " program IS NOT NULL AND NOT EXISTS (SELECT 1 FROM program WHERE digest = entry.program)";
        try (ResultSet rows = statement.executeQuery("SELECT kind, id FROM entry WHERE live = 1 AND" + its)) {
            while (rows.next()) {
                lost.add(new Damage("entry", rows.getString(1) + " " + rows.getString(2), "its script is lost"));
            }
        }
        statement.executeUpdate("DELETE FROM entry WHERE live = 1 AND" + its);
        statement.executeUpdate("UPDATE entry SET program = NULL WHERE" + its);
    }

    /** A file that was cut off is read as far as it goes. */
    private Connection open() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        Connection connection = config.createConnection("jdbc:sqlite:" + file.toAbsolutePath());
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("PRAGMA writable_schema = ON");
            statement.executeUpdate("PRAGMA cell_size_check = ON");
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    private static int schema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("PRAGMA user_version")) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }

    private void delete() {
        for (String part : List.of("", "-wal", "-shm", "-journal")) {
            try {
                Files.deleteIfExists(out.resolveSibling(out.getFileName() + part));
            } catch (IOException left) {
                // Seen by whoever tries that name again.
            }
        }
    }
}
