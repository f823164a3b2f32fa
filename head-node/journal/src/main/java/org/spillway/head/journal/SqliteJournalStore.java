package org.spillway.head.journal;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.past.Standing;

/**
 * The journal in one SQLite file. Three connections: one writes; one looks up single jobs, so that a submission does not
 * wait for another's commit; one reads listings and timelines, which may take a while. Each is used under its own lock.
 */
public final class SqliteJournalStore implements JournalStore {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteJournalStore.class);
    private static final int LAUNCHES_LOADED = 1000;
    private static final int OUTCOMES_LOADED = 5000;
    private static final int NUMBERS_PER_WRITE = 100;

    private final JournalFile file;
    private final Connection writer;
    private final SqliteReader lookups;
    private final SqliteReader listings;
    private final SqliteDecisions decisions;
    private final SqlitePrograms programs;
    private final KeptPast past;
    private final Ballast ballast;
    private final DiskTrouble disk = new DiskTrouble();
    private final SqliteNumbers numbers;
    /** The disk may differ from what was told: nothing more is written. */
    private boolean failed;

    private SqliteJournalStore(JournalFile file, SqliteReader lookups, SqliteReader listings, KeptPast past) {
        this.file = file;
        this.ballast = past.ballast();
        this.past = past;
        this.writer = file.writer();
        this.numbers = new SqliteNumbers(writer, past);
        this.lookups = lookups;
        this.listings = listings;
        this.decisions = new SqliteDecisions(writer, listings);
        this.programs = new SqlitePrograms(writer);
    }

    /**
     * Opens the journal of a state directory, making both when they are not there, and keeps no past of it: for what is
     * no head's. What is reserved and committed is not seen by the state's identity.
     *
     * @throws JournalFailure if another head has it, it is of a newer schema, damaged, or the disk does not let us
     */
    public static SqliteJournalStore open(Path stateDirectory) {
        return over(JournalFile.open(stateDirectory), KeptPast.none(stateDirectory));
    }

    /**
     * Opens the journal of a head, as its state's identity in {@code secrets} remembers it.
     *
     * @param newEpoch an administrator says that an empty or unmarked journal is to be gone on with, in quarantine
     * @throws JournalFailure also if the journal is not the one that belongs there; nothing is changed then
     */
    public static SqliteJournalStore open(Path stateDirectory, boolean newEpoch, Instant now) {
        return open(stateDirectory, new KeptPast(stateDirectory, newEpoch, now));
    }

    /**
     * Makes the journal of a head that will begin elsewhere: the state has its identity from now on, in {@code secrets} as
     * well, and what is bought bears it.
     *
     * @throws JournalFailure also if there is a state already
     */
    public static SqliteJournalStore ahead(Path stateDirectory, Instant now) {
        return open(stateDirectory, KeptPast.ahead(stateDirectory, now));
    }

    private static SqliteJournalStore open(Path stateDirectory, KeptPast past) {
        SqliteJournalStore store = over(JournalFile.open(stateDirectory, past::admit), past);
        try {
            past.begin(store.writer, store.file.found());
            store.ballast.keep();
            return store;
        } catch (SQLException | RuntimeException e) {
            store.file.close();
            throw e instanceof SQLException unwritten ? notWritten(unwritten) : (RuntimeException) e;
        }
    }

    private static SqliteJournalStore over(JournalFile file, KeptPast past) {
        try {
            return new SqliteJournalStore(file, new SqliteReader(file.reader()), new SqliteReader(file.reader()), past);
        } catch (RuntimeException e) {
            // Else a later try of this process would find the lock taken.
            file.close();
            throw e;
        }
    }

    @Override
    public Standing standing() {
        return past.standing();
    }

    @Override
    public void release() {
        synchronized (writer) {
            refuseIfFailed();
            past.release();
        }
    }

    @Override
    public void write(Instant at, List<? extends Entry> entries, List<Transition> transitions) {
        synchronized (writer) {
            refuseIfFailed();
            long begun = System.nanoTime();
            try {
                try {
                    commit(at, entries, transitions);
                } catch (SQLException full) {
                    if (!givesRoom(full)) {
                        throw full;
                    }
                    forgetUnwritten();
                    undo();
                    commit(at, entries, transitions);
                }
                past.committed(at, entries);
                long now = System.nanoTime();
                disk.slow(now - begun, now).ifPresent(LOG::warn);
            } catch (SQLException e) {
                failed = true;
                forgetUnwritten();
                rollBack();
                throw notWritten(e);
            } catch (JournalFailure unmarked) {
                failed = true;
                forgetUnwritten();
                rollBack();
                throw unmarked;
            } catch (RuntimeException e) {
                forgetUnwritten();
                // Else the next commit would make this half durable.
                rollBack();
                throw e;
            }
        }
    }

    private void forgetUnwritten() {
        decisions.forgetBase();
        programs.forget();
    }

    private void commit(Instant at, List<? extends Entry> entries, List<Transition> transitions) throws SQLException {
        putEntries(at, entries);
        putSubmissions(entries);
        putTransitions(transitions);
        past.count(writer);
        writer.commit();
    }

    /** SQLite itself has undone a transaction for which there was no room. */
    private void undo() throws SQLException {
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

    private boolean givesRoom(SQLException failure) {
        return (failure.getErrorCode() & 0xff) == JournalFile.FULL && ballast.giveUp();
    }

    @Override
    public boolean isShortOfRoom() {
        return ballast.isGivenUp();
    }

    private static JournalFailure notWritten(SQLException e) {
        return new JournalFailure(
                "the journal cannot be written: " + e.getMessage() + "; the head stops rather than forget: "
                        + DiskTrouble.repair(String.valueOf(e.getMessage())) + " and start it again",
                e);
    }

    private void rollBack() {
        try {
            writer.rollback();
        } catch (SQLException alreadyFailed) {
            // The first failure is the one to tell; a commit that followed might make a half of it durable.
            failed = true;
        }
    }

    private void refuseIfFailed() {
        if (failed) {
            throw new JournalFailure("the journal could not be written before: nothing more is written until the head"
                    + " is started again");
        }
    }

    private void putEntries(Instant at, List<? extends Entry> entries) throws SQLException {
        try (PreparedStatement insert = writer.prepareStatement(
                "INSERT OR REPLACE INTO entry (kind, id, state, live, updated_at, body_schema, body, uid, program)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
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
                        9,
                        entry instanceof JobRecord job ? programs.put(job.spec().program()) : null);
                insert.executeUpdate();
            }
        }
    }

    private void putSubmissions(List<? extends Entry> entries) throws SQLException {
        try (PreparedStatement insert = writer.prepareStatement(
                "INSERT OR IGNORE INTO submission (uid, idempotency_key, job) VALUES (?, ?, ?)")) {
            for (Entry entry : entries) {
                if (entry instanceof JobRecord job) {
                    insert.setInt(1, job.spec().uid());
                    insert.setString(2, job.spec().idempotencyKey().value());
                    insert.setString(3, job.id());
                    insert.executeUpdate();
                }
            }
        }
    }

    private void putTransitions(List<Transition> transitions) throws SQLException {
        try (PreparedStatement insert = writer.prepareStatement(
                "INSERT INTO transition (at, kind, id, from_state, to_state, cause) VALUES (?, ?, ?, ?, ?, ?)")) {
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

    @Override
    public Optional<Instant> latest() {
        return listings.lines("SELECT id, at FROM transition ORDER BY sequence DESC LIMIT ?", 1).stream()
                .findFirst()
                .map(DecisionLog.Line::at);
    }

    @Override
    public DecisionLog decisions() {
        return decisions;
    }

    @Override
    public long nextSequence() {
        synchronized (writer) {
            if (numbers.left() == 0) {
                reserveMore(NUMBERS_PER_WRITE);
            }
            return numbers.next();
        }
    }

    @Override
    public void reserve(int count) {
        synchronized (writer) {
            if (numbers.left() < count) {
                reserveMore(Math.max(count, NUMBERS_PER_WRITE));
            }
        }
    }

    private void reserveMore(int count) {
        refuseIfFailed();
        try {
            numbers.reserve(count);
        } catch (SQLException e) {
            rollBack();
            throw notWritten(e);
        }
    }

    @Override
    public int prune(Instant before, int most) {
        int deleted = 0;
        synchronized (writer) {
            ballast.keep();
            past.raise();
        }
        sweepPrograms();
        for (String kind : List.of("decision", "launch", "outcome")) {
            synchronized (writer) {
                refuseIfFailed();
                try {
                    List<String> past = Pruning.delete(writer, kind, before, most);
                    if (kind.equals("decision") && !past.isEmpty()) {
                        decisions.dropUnusedBases();
                    }
                    writer.commit();
                    deleted += past.size();
                } catch (SQLException e) {
                    rollBack();
                    throw notWritten(e);
                }
            }
        }
        return deleted;
    }

    private void sweepPrograms() {
        synchronized (writer) {
            refuseIfFailed();
            try {
                programs.sweep();
                writer.commit();
            } catch (SQLException e) {
                rollBack();
                throw notWritten(e);
            }
        }
    }

    @Override
    public List<Entry> load(Instant costFrom) {
        List<Entry> entries = new ArrayList<>(listings.entries(SqliteReader.ENTRIES + "WHERE live = 1"));
        entries.addAll(listings.entries(
                SqliteReader.ENTRIES + "WHERE kind IN ('node', 'cluster', 'notice', 'egress', 'recovery') AND live = 0"
                        + " AND updated_at >= ?",
                Math.max(costFrom.getEpochSecond(), 0) * 1000));
        entries.addAll(listings.entries(SqliteReader.ENTRIES + "WHERE kind = 'intent' AND live = 0 AND id IN"
                + " (SELECT json_extract(body, '$.intent') FROM entry WHERE kind = 'node' AND live = 1)"));
        entries.addAll(listings.entries(
                        SqliteReader.ENTRIES + "WHERE kind = 'launch' AND live = 0"
                                + " ORDER BY updated_at DESC LIMIT ?",
                        LAUNCHES_LOADED)
                .reversed());
        entries.addAll(listings.entries(
                        SqliteReader.ENTRIES + "WHERE kind = 'outcome' AND live = 0"
                                + " ORDER BY updated_at DESC LIMIT ?",
                        OUTCOMES_LOADED)
                .reversed());
        entries.addAll(listings.entries(SqliteReader.ENTRIES + "WHERE kind = 'breaker'"));
        entries.addAll(listings.entries(
                SqliteReader.ENTRIES + "WHERE kind = 'delegated' AND live = 0 AND updated_at >= ?",
                Math.max(costFrom.getEpochSecond(), 0) * 1000));
        return entries;
    }

    @Override
    public Optional<JobRecord> job(String id) {
        return lookups.jobs(SqliteReader.ENTRIES + "WHERE kind = 'job' AND id = ?", id).stream()
                .findFirst();
    }

    @Override
    public Optional<JobRecord> jobByKey(int uid, String idempotencyKey) {
        return lookups
                .jobs(
                        SqliteReader.ENTRIES + "WHERE kind = 'job' AND id ="
                                + " (SELECT job FROM submission WHERE uid = ? AND idempotency_key = ?)",
                        uid,
                        idempotencyKey)
                .stream()
                .findFirst();
    }

    @Override
    public List<JobRecord> endedJobs(OptionalInt uid, int limit) {
        String ended = SqliteReader.ENTRIES + "WHERE kind = 'job' AND live = 0";
        String latest = " ORDER BY updated_at DESC LIMIT ?";
        return uid.isEmpty()
                ? listings.listed(ended + latest, limit)
                : listings.listed(ended + " AND uid = ?" + latest, uid.getAsInt(), limit);
    }

    @Override
    public List<JobRecord> tasks(String array) {
        return listings.tasks(array);
    }

    @Override
    public List<Transition> timeline(String kind, String id) {
        return listings.timeline(kind, id);
    }

    /** How SQLite is set up in truth, for the tests: some of these hold for one connection only. */
    String pragma(String name) throws SQLException {
        synchronized (writer) {
            try (Statement statement = writer.createStatement();
                    ResultSet rows = statement.executeQuery("PRAGMA " + name)) {
                return rows.getString(1);
            }
        }
    }

    @Override
    public void close() {
        synchronized (writer) {
            try (file) {
                lookups.close();
                listings.close();
                if (!failed) {
                    numbers.giveBack();
                }
                past.raise();
            } catch (SQLException e) {
                throw new JournalFailure("the journal could not be closed: " + e.getMessage(), e);
            }
        }
    }
}
