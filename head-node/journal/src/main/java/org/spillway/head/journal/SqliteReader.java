package org.spillway.head.journal;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.spillway.head.journal.JournalStore.Transition;

/** Reads over one connection, one at a time. Any thread. */
final class SqliteReader implements AutoCloseable {
    private final Connection connection;

    SqliteReader(Connection connection) {
        this.connection = connection;
    }

    /** @param sql selects kind, id and body, in this order */
    List<Entry> entries(String sql, Object... arguments) {
        return rows(entry -> entry, sql, arguments);
    }

    /** Jobs without their scripts, which are let go of row by row. */
    List<JobRecord> listed(String sql, Object... arguments) {
        return rows(entry -> ((JobRecord) entry).withoutScript(), sql, arguments);
    }

    private Entry entry(String kind, String id, Object body) throws SQLException {
        if (!(body instanceof byte[] packed)) {
            return EntryJson.read(kind, id, body.toString());
        }
        try {
            String base = PackedText.baseOf(packed);
            return EntryJson.read(kind, id, PackedText.unpack(packed, base.isEmpty() ? "" : base(base)));
        } catch (IOException damaged) {
            throw new JournalFailure(
                    "the journal's " + kind + " " + id + " cannot be read: " + damaged.getMessage(), damaged);
        }
    }

    private String base(String id) throws SQLException, IOException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT body FROM entry WHERE kind = 'base' AND id = ?")) {
            select.setString(1, id);
            try (ResultSet rows = select.executeQuery()) {
                if (!rows.next()) {
                    throw new IOException("what it was packed with, " + id + ", is not there");
                }
                return PackedText.unpack(rows.getBytes(1), "");
            }
        }
    }

    /** Names and times, in milliseconds. @param sql selects both, in this order */
    List<DecisionLog.Line> lines(String sql, int most) {
        synchronized (connection) {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setInt(1, most);
                List<DecisionLog.Line> lines = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        lines.add(new DecisionLog.Line(rows.getString(1), Instant.ofEpochMilli(rows.getLong(2))));
                    }
                }
                return lines;
            } catch (SQLException e) {
                throw notRead(e);
            }
        }
    }

    private <T> List<T> rows(Function<Entry, T> each, String sql, Object... arguments) {
        synchronized (connection) {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                for (int i = 0; i < arguments.length; i++) {
                    select.setObject(i + 1, arguments[i]);
                }
                List<T> found = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        found.add(each.apply(entry(rows.getString(1), rows.getString(2), rows.getObject(3))));
                    }
                }
                return found;
            } catch (SQLException e) {
                throw notRead(e);
            }
        }
    }

    /** The same, of jobs only. */
    List<JobRecord> jobs(String sql, Object... arguments) {
        return entries(sql, arguments).stream().map(JobRecord.class::cast).toList();
    }

    /** Between ID- and ID. lie all ids that begin with "ID-". */
    List<JobRecord> tasks(String array) {
        return jobs(
                        "SELECT kind, id, body FROM entry WHERE kind = 'job' AND id >= ? AND id < ?",
                        array + "-",
                        array + ".")
                .stream()
                .filter(job -> JournalStore.isTask(job, array))
                .sorted(JournalStore.BY_INDEX)
                .toList();
    }

    List<Transition> timeline(String kind, String id) {
        synchronized (connection) {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT at, from_state, to_state, cause FROM transition"
                            + " WHERE kind = ? AND id = ? ORDER BY sequence")) {
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
                                EntryJson.cause(rows.getString(4))));
                    }
                }
                return lines;
            } catch (SQLException e) {
                throw notRead(e);
            }
        }
    }

    private static JournalFailure notRead(SQLException e) {
        return new JournalFailure("the journal cannot be read: " + e.getMessage(), e);
    }

    @Override
    public void close() throws SQLException {
        synchronized (connection) {
            connection.close();
        }
    }
}
