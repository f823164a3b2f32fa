package org.spillway.head.journal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.sqlite.SQLiteConfig;

/** The decisions of a journal or of a copy of one, and of its archive, read without a head and without writing. */
public final class DecisionFile implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 5000;

    private final SqliteReader journal;
    private final Optional<SqliteReader> archive;

    private DecisionFile(SqliteReader journal, Optional<SqliteReader> archive) {
        this.journal = journal;
        this.archive = archive;
    }

    /**
     * @param place a journal's file, or the state directory that it lies in
     * @throws JournalFailure if it is not there, cannot be read, or is of a later schema
     */
    public static DecisionFile open(Path place) {
        Path file = Files.isDirectory(place) ? place.resolve("journal.db") : place;
        if (!Files.isRegularFile(file)) {
            throw new JournalFailure("there is no journal at " + file);
        }
        SqliteReader journal = reader(file);
        try {
            return new DecisionFile(journal, Archive.beside(file).map(DecisionFile::reader));
        } catch (JournalFailure unreadable) {
            close(journal);
            throw unreadable;
        }
    }

    private static SqliteReader reader(Path file) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(PATIENCE_MILLIS);
        try {
            Connection connection = config.createConnection("jdbc:sqlite:" + file.toAbsolutePath());
            try {
                int schema = schema(connection);
                if (schema < 1 || schema > JournalFile.SCHEMA) {
                    throw new JournalFailure("the journal " + file + " has schema " + schema
                            + ", this release reads 1 to " + JournalFile.SCHEMA + ": use the release that wrote it");
                }
                return new SqliteReader(connection);
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException unreadable) {
            throw new JournalFailure("the journal " + file + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }

    private static int schema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("PRAGMA user_version")) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }

    public DecisionLog decisions() {
        return new BothDecisions(journal, () -> archive);
    }

    @Override
    public void close() {
        close(journal);
        archive.ifPresent(DecisionFile::close);
    }

    private static void close(SqliteReader reader) {
        try {
            reader.close();
        } catch (SQLException e) {
            throw new JournalFailure("the journal could not be closed: " + e.getMessage(), e);
        }
    }
}
