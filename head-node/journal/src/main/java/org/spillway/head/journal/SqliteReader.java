package org.spillway.head.journal;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobFilter;
import org.spillway.head.journal.JournalStore.Transition;

/** Reads over one connection, one at a time. Any thread. */
final class SqliteReader implements AutoCloseable {
    /** The beginning of each query for entries. */
    static final String ENTRIES = "SELECT kind, id, body, program FROM entry ";

    private final Connection connection;
    private final PreparedSql sql;

    SqliteReader(Connection connection) {
        this.connection = connection;
        this.sql = new PreparedSql(connection);
    }

    /** @param query a constant that selects what {@link #ENTRIES} does */
    List<Entry> entries(String query, Object... arguments) {
        Map<String, JobSpec.Program> programs = new HashMap<>();
        return rows(
                row -> {
                    Entry entry = entry(row.getString(1), row.getString(2), row.getObject(3));
                    String digest = row.getString(4);
                    return entry instanceof JobRecord job && digest != null ? running(job, digest, programs) : entry;
                },
                query,
                arguments);
    }

    /** Jobs without their programs. */
    List<JobRecord> listed(String query, Object... arguments) {
        return rows(
                row -> ((JobRecord) entry(row.getString(1), row.getString(2), row.getObject(3))).withoutProgram(),
                query,
                arguments);
    }

    /** @param programs that were read already: tasks of an array have one in common, in memory too */
    private JobRecord running(JobRecord job, String digest, Map<String, JobSpec.Program> programs) throws SQLException {
        JobSpec.Program found = programs.get(digest);
        if (found == null) {
            found = program(digest);
            if (found == null && job.isLive()) {
                throw new JournalFailure("the journal's job " + job.id() + " cannot be read: its script is not there: "
                        + PastText.REPAIR);
            }
            // Nobody runs what has ended.
            found = found == null ? JobSpec.Program.NONE : found;
            programs.put(digest, found);
        }
        JobSpec.Program its = found;
        return job.with(job.spec().with(draft -> draft.program = its));
    }

    private JobSpec.@Nullable Program program(String digest) throws SQLException {
        PreparedStatement select = sql.of("SELECT body FROM program WHERE digest = ?");
        select.setString(1, digest);
        try (ResultSet rows = select.executeQuery()) {
            return rows.next() ? EntryJson.program(rows.getString(1)) : null;
        }
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
        PreparedStatement select = sql.of("SELECT body FROM entry WHERE kind = 'base' AND id = ?");
        select.setString(1, id);
        try (ResultSet rows = select.executeQuery()) {
            if (!rows.next()) {
                throw new IOException("what it was packed with, " + id + ", is not there");
            }
            return PackedText.unpack(rows.getBytes(1), "");
        }
    }

    /** Names and times, in milliseconds. @param query selects both, in this order */
    List<DecisionLog.Line> lines(String query, int most) {
        synchronized (connection) {
            try {
                PreparedStatement select = sql.of(query);
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

    /** A row as one thing. */
    private interface Row<T> {
        T of(ResultSet row) throws SQLException;
    }

    private <T> List<T> rows(Row<T> each, String query, Object... arguments) {
        synchronized (connection) {
            try {
                PreparedStatement select = sql.of(query);
                for (int i = 0; i < arguments.length; i++) {
                    select.setObject(i + 1, arguments[i]);
                }
                List<T> found = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        found.add(each.of(rows));
                    }
                }
                return found;
            } catch (SQLException e) {
                throw notRead(e);
            }
        }
    }

    /** The same, of jobs only. */
    List<JobRecord> jobs(String query, Object... arguments) {
        return entries(query, arguments).stream().map(JobRecord.class::cast).toList();
    }

    Optional<JobRecord> job(String id) {
        return jobs(ENTRIES + "WHERE kind = 'job' AND id = ?", id).stream().findFirst();
    }

    Optional<JobRecord> jobByKey(int uid, String key) {
        return jobs(
                        ENTRIES + "WHERE kind = 'job' AND id ="
                                + " (SELECT job FROM submission WHERE uid = ? AND idempotency_key = ?)",
                        uid,
                        key)
                .stream()
                .findFirst();
    }

    /** The latest end first, without their programs. */
    List<JobRecord> endedJobs(OptionalInt uid, Instant since, int limit) {
        String ended = ENTRIES + "WHERE kind = 'job' AND live = 0 AND updated_at >= ?";
        String latest = " ORDER BY updated_at DESC LIMIT ?";
        long from = Math.max(since.getEpochSecond(), 0) * 1000;
        return uid.isEmpty()
                ? listed(ended + latest, from, limit)
                : listed(ended + " AND uid = ?" + latest, from, uid.getAsInt(), limit);
    }

    /** The same, of those that a filter lets through: what it says is asked for behind the index, before the limit. */
    List<JobRecord> endedJobs(JobFilter filter) {
        StringBuilder query = new StringBuilder(ENTRIES + "WHERE kind = 'job' AND live = 0 AND updated_at >= ?");
        List<Object> arguments = new ArrayList<>();
        arguments.add(Math.clamp(filter.since().getEpochSecond(), 0, Long.MAX_VALUE / 1000) * 1000);
        filter.uid().ifPresent(uid -> {
            query.append(" AND uid = ?");
            arguments.add(uid);
        });
        filter.state().ifPresent(state -> {
            query.append(" AND state = ?");
            arguments.add(state.name());
        });
        if (!filter.queue().isEmpty()) {
            query.append(" AND body ->> '$.spec.queue' = ?");
            arguments.add(filter.queue());
        }
        if (filter.until().isBefore(Instant.MAX)) {
            // Without its last letter a time with a fraction of a second is greater than the same without.
            query.append(" AND rtrim(body ->> '$.spec.submittedAt', 'Z') < rtrim(?, 'Z')");
            arguments.add(filter.until().toString());
        }
        query.append(" ORDER BY updated_at DESC LIMIT ?");
        arguments.add(filter.limit());
        return listed(query.toString(), arguments.toArray());
    }

    Optional<DecisionEntry> decision(String id) {
        return decision(ENTRIES + "WHERE kind = 'decision' AND id = ?", id);
    }

    Optional<DecisionEntry> decision(Instant time) {
        return decision(ENTRIES + "WHERE kind = 'decision' AND live = 0 AND updated_at = ?", time.toEpochMilli());
    }

    private Optional<DecisionEntry> decision(String query, Object argument) {
        return entries(query, argument).stream().map(DecisionEntry.class::cast).findFirst();
    }

    /** The latest first. */
    List<DecisionLog.Line> decisions(int most) {
        return lines(
                "SELECT id, updated_at FROM entry WHERE kind = 'decision' AND live = 0"
                        + " ORDER BY updated_at DESC LIMIT ?",
                most);
    }

    /** The latest end first. */
    List<ClusterRecord> endedClusters(int limit) {
        return entries(ENTRIES + "WHERE kind = 'cluster' AND live = 0 ORDER BY updated_at DESC LIMIT ?", limit).stream()
                .map(ClusterRecord.class::cast)
                .toList();
    }

    /** Notices of clusters have their ids behind that of the cluster and a point. */
    List<NoticeRecord> notices(String cluster) {
        return entries(ENTRIES + "WHERE kind = 'notice' AND id >= ? AND id < ?", cluster + ".", cluster + "/").stream()
                .map(NoticeRecord.class::cast)
                .filter(notice -> notice.cluster().equals(cluster))
                .toList();
    }

    Optional<Instant> latest() {
        return lines("SELECT id, at FROM transition ORDER BY sequence DESC LIMIT ?", 1).stream()
                .findFirst()
                .map(DecisionLog.Line::at);
    }

    /** Between ID- and ID. lie all ids that begin with "ID-". */
    List<JobRecord> tasks(String array) {
        return jobs(ENTRIES + "WHERE kind = 'job' AND id >= ? AND id < ?", array + "-", array + ".").stream()
                .filter(job -> JournalStore.isTask(job, array))
                .sorted(JournalStore.BY_INDEX)
                .toList();
    }

    List<Transition> timeline(String kind, String id) {
        synchronized (connection) {
            try {
                PreparedStatement select = sql.of("SELECT at, from_state, to_state, cause FROM transition"
                        + " WHERE kind = ? AND id = ? ORDER BY sequence");
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

    private JournalFailure notRead(SQLException e) {
        sql.forget();
        return new JournalFailure("the journal cannot be read: " + e.getMessage(), e);
    }

    @Override
    public void close() throws SQLException {
        synchronized (connection) {
            connection.close();
        }
    }
}
