package org.spillway.head.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sqlite.SQLiteConfig;

/**
 * The live entries, read without the head's lock and without writing: for commands that ask while no head answers. All
 * of it is of one moment.
 */
public record JournalGlance(List<Entry> live) {
    private static final int PATIENCE_MILLIS = 5000;

    public JournalGlance {
        live = List.copyOf(live);
    }

    /**
     * @return empty when there is no journal: nothing was ever bought from this state directory
     * @throws JournalFailure if it is there and cannot be read, or is of another schema
     */
    public static Optional<JournalGlance> at(Path stateDirectory) {
        Path file = stateDirectory.resolve("journal.db");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        return Optional.of(
                read(file, reader -> new JournalGlance(reader.entries(SqliteReader.ENTRIES + "WHERE live = 1"))));
    }

    /**
     * All jobs of a journal that are over, and of an archive beside it, without their scripts. A head may run on the
     * journal, or the file may be a copy.
     *
     * @throws JournalFailure if it cannot be read, or is of another schema
     */
    public static List<JobRecord> endedJobs(Path file) {
        List<JobRecord> all = new ArrayList<>(ended(file));
        Archive.beside(file).ifPresent(archive -> {
            Set<String> here = all.stream().map(JobRecord::id).collect(Collectors.toSet());
            ended(archive).stream().filter(job -> !here.contains(job.id())).forEach(all::add);
        });
        return all;
    }

    private static List<JobRecord> ended(Path file) {
        return read(file, reader -> reader.listed(SqliteReader.ENTRIES + "WHERE kind = 'job' AND live = 0"));
    }

    private static <T> T read(Path file, Function<SqliteReader, T> what) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(PATIENCE_MILLIS);
        try (Connection connection = config.createConnection("jdbc:sqlite:" + file)) {
            // Before the reader, whose statements name the tables of this release.
            int schema = schema(connection);
            if (schema != JournalFile.SCHEMA) {
                throw new JournalFailure("the journal " + file + " has schema " + schema + ", this release reads "
                        + JournalFile.SCHEMA + ": start the head once, or use the release that wrote it");
            }
            try (SqliteReader reader = new SqliteReader(connection)) {
                return what.apply(reader);
            }
        } catch (SQLException unreadable) {
            throw new JournalFailure("the journal " + file + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }

    /**
     * Directors of a site, the latest change first: those that live and the last that have ended.
     *
     * @throws JournalFailure if it is there and cannot be read, or is of another schema
     */
    public static List<NodeRecord> directors(Path stateDirectory, String site, int most) {
        Path file = stateDirectory.resolve("journal.db");
        if (!Files.exists(file)) {
            return List.of();
        }
        return read(
                file,
                reader -> reader
                        .entries(
                                SqliteReader.ENTRIES
                                        + "WHERE kind = 'node' AND json_extract(body, '$.role') = 'DIRECTOR'"
                                        + " AND json_extract(body, '$.site') = ? ORDER BY updated_at DESC LIMIT ?",
                                site,
                                most)
                        .stream()
                        .map(NodeRecord.class::cast)
                        .toList());
    }

    /** Whether a head has ever run on that state directory. */
    public static boolean isThere(Path stateDirectory) {
        return Files.exists(stateDirectory.resolve("journal.db"));
    }

    /**
     * Keeps a head from starting on that state directory until it is closed, for commands that change what a head would
     * rely on. Does nothing where no head has ever been.
     *
     * @throws JournalFailure if a head runs there
     */
    public static Closeable keepHeadsOut(Path stateDirectory) throws IOException {
        Path lock = stateDirectory.resolve("head.lock");
        if (!Files.exists(lock)) {
            return () -> {};
        }
        FileChannel held = FileChannel.open(lock, StandardOpenOption.WRITE);
        try {
            JournalFile.lock(held, stateDirectory);
            return held;
        } catch (IOException | RuntimeException e) {
            held.close();
            throw e;
        }
    }

    private static int schema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("PRAGMA user_version")) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }

    /** Live nodes and directors of that site. */
    public List<NodeRecord> nodes(String site) {
        return live.stream()
                .filter(NodeRecord.class::isInstance)
                .map(NodeRecord.class::cast)
                .filter(node -> node.site().equals(site))
                .toList();
    }
}
