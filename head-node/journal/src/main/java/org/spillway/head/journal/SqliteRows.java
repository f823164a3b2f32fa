package org.spillway.head.journal;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.spillway.head.journal.JournalStore.Transition;

/** A batch as rows. Under the store's lock, within the caller's transaction. */
final class SqliteRows {
    private final PreparedSql sql;
    private final SqliteDecisions decisions;
    private final SqlitePrograms programs;

    SqliteRows(PreparedSql sql, SqliteDecisions decisions, SqlitePrograms programs) {
        this.sql = sql;
        this.decisions = decisions;
        this.programs = programs;
    }

    /** Entries, each in place of what it was. */
    void putEntries(Instant at, List<? extends Entry> entries) throws SQLException {
        PreparedStatement insert = sql.of(
                "INSERT OR REPLACE INTO entry (kind, id, state, live, updated_at, body_schema, body, uid, program)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
        for (Entry entry : entries) {
            insert.setString(1, entry.kind());
            insert.setString(2, entry.id());
            insert.setString(3, entry.state());
            insert.setInt(4, entry.isLive() ? 1 : 0);
            insert.setLong(5, at.toEpochMilli());
            insert.setInt(6, EntryJson.SCHEMA);
            if (entry instanceof DecisionEntry decision) {
                insert.setBytes(7, decisions.pack(at, decision));
            } else {
                insert.setString(7, EntryJson.write(entry));
            }
            insert.setObject(8, entry instanceof JobRecord job ? job.spec().uid() : null);
            insert.setString(
                    9, entry instanceof JobRecord job ? programs.put(job.spec().program()) : null);
            insert.executeUpdate();
        }
    }

    /** Keys of what users gave. */
    void putSubmissions(List<? extends Entry> entries) throws SQLException {
        PreparedStatement insert =
                sql.of("INSERT OR IGNORE INTO submission (uid, idempotency_key, job) VALUES (?, ?, ?)");
        for (Entry entry : entries) {
            if (entry instanceof JobRecord job) {
                insert.setInt(1, job.spec().uid());
                insert.setString(2, job.spec().idempotencyKey().value());
                insert.setString(3, job.id());
                insert.executeUpdate();
            }
        }
    }

    /** Lines of timelines. */
    void putTransitions(List<Transition> transitions) throws SQLException {
        PreparedStatement insert =
                sql.of("INSERT INTO transition (at, kind, id, from_state, to_state, cause) VALUES (?, ?, ?, ?, ?, ?)");
        for (Transition line : transitions) {
            insert.setLong(1, line.at().toEpochMilli());
            insert.setString(2, line.kind());
            insert.setString(3, line.id());
            insert.setString(4, line.from());
            insert.setString(5, line.to());
            insert.setString(6, EntryJson.write(line.cause()));
            insert.executeUpdate();
        }
    }
}
