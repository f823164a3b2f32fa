package org.spillway.head.journal;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.spillway.api.JobFilter;
import org.spillway.head.past.Standing;

/**
 * The journal in one SQLite file. Three connections: one writes; one looks up single jobs, so that a submission does not
 * wait for another's commit; one reads listings and timelines, which may take a while. Each is used under its own lock.
 */
public final class SqliteJournalStore implements JournalStore {
    private static final int LAUNCHES_LOADED = 1000;
    private static final int OUTCOMES_LOADED = 5000;
    private static final int NUMBERS_PER_WRITE = 100;

    private final JournalFile file;
    private final Connection writer;
    private final PreparedSql sql;
    private final SqliteReader lookups;
    private final SqliteReader listings;
    private final SqliteDecisions decisions;
    private final SqlitePrograms programs;
    private final SqliteNumbers numbers;
    private final SqliteRows rows;
    private final SqliteDeletion deletion;
    private final Archive archive;
    private final BothFiles both;
    private final KeptPast past;
    private final Ballast ballast;
    private final DiskTrouble disk = new DiskTrouble();
    /** The disk may differ from what was told: nothing more is written. */
    private boolean failed;

    private SqliteJournalStore(
            JournalFile file, SqliteReader lookups, SqliteReader listings, Archive archive, KeptPast past) {
        this.file = file;
        this.ballast = past.ballast();
        this.past = past;
        this.writer = file.writer();
        this.sql = new PreparedSql(writer);
        this.lookups = lookups;
        this.listings = listings;
        this.decisions = new SqliteDecisions(writer);
        this.programs = new SqlitePrograms(writer, sql);
        this.numbers = new SqliteNumbers(writer, past);
        this.rows = new SqliteRows(sql, decisions, programs);
        this.deletion = new SqliteDeletion(writer, programs, decisions);
        this.archive = archive;
        this.both = new BothFiles(lookups, listings, archive);
    }

    /**
     * Opens the journal of a state directory, making both when they are not there, and keeps no past of it: for what is
     * no head's. What is reserved and committed is not seen by the state's identity.
     *
     * @throws JournalFailure if another head has it, it is of a newer schema, damaged, or the disk does not let us
     */
    public static SqliteJournalStore open(Path stateDirectory) {
        return over(JournalFile.open(stateDirectory), stateDirectory, KeptPast.none(stateDirectory));
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
        SqliteJournalStore store = over(JournalFile.open(stateDirectory, past::admit), stateDirectory, past);
        try {
            past.begin(store.writer, store.file.found());
            store.ballast.keep();
            store.archive.check(store.identity());
            return store;
        } catch (SQLException | RuntimeException e) {
            store.file.close();
            throw e instanceof SQLException unwritten ? notWritten(unwritten) : (RuntimeException) e;
        }
    }

    private static SqliteJournalStore over(JournalFile file, Path state, KeptPast past) {
        try {
            SqliteJournalStore store = new SqliteJournalStore(
                    file, new SqliteReader(file.reader()), new SqliteReader(file.reader()), new Archive(state), past);
            store.archive.check(store.identity());
            return store;
        } catch (SQLException e) {
            file.close();
            throw notWritten(e);
        } catch (RuntimeException e) {
            // Else a later try of this process would find the lock taken.
            file.close();
            throw e;
        }
    }

    private String identity() throws SQLException {
        try (Statement statement = writer.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM identity")) {
            return rows.next() ? rows.getString(1) : "";
        }
    }

    @Override
    public Standing standing() {
        return past.standing();
    }

    @Override
    public void settle() {
        synchronized (writer) {
            past.settle();
        }
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
                    JournalFile.undo(writer);
                    commit(at, entries, transitions);
                }
                past.committed(at, entries);
                disk.wrote(begun);
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
        sql.forget();
        decisions.forgetBase();
        programs.forget();
    }

    private void commit(Instant at, List<? extends Entry> entries, List<Transition> transitions) throws SQLException {
        rows.putEntries(at, entries);
        rows.putSubmissions(entries);
        rows.putTransitions(transitions);
        past.count(sql);
        writer.commit();
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

    @Override
    public Optional<Instant> latest() {
        return both.latest();
    }

    @Override
    public DecisionLog decisions() {
        return new BothDecisions(listings, archive::reader);
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
        inOneWrite(programs::sweep);
        for (String kind : List.of("decision", "launch", "outcome")) {
            deleted += inOneWrite(() -> prune(kind, before, most));
        }
        return deleted;
    }

    private int prune(String kind, Instant before, int most) throws SQLException {
        int deleted = Pruning.delete(writer, kind, before, most).size();
        if (kind.equals("decision") && deleted > 0) {
            decisions.dropUnusedBases();
        }
        return deleted;
    }

    /** Deletes something and says how much. */
    private interface Deleting {
        int run() throws SQLException;
    }

    private int inOneWrite(Deleting what) {
        synchronized (writer) {
            refuseIfFailed();
            try {
                int deleted = what.run();
                writer.commit();
                return deleted;
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
        return both.job(id);
    }

    @Override
    public Optional<JobRecord> jobByKey(int uid, String idempotencyKey) {
        return both.jobByKey(uid, idempotencyKey);
    }

    @Override
    public List<JobRecord> endedJobs(OptionalInt uid, Instant since, int limit) {
        return both.endedJobs(reader -> reader.endedJobs(uid, since, limit), limit);
    }

    @Override
    public List<JobRecord> endedJobs(JobFilter filter) {
        return both.endedJobs(reader -> reader.endedJobs(filter), filter.limit());
    }

    @Override
    public List<JobRecord> tasks(String array) {
        return both.tasks(array);
    }

    @Override
    public List<ClusterRecord> endedClusters(int limit) {
        return both.endedClusters(limit);
    }

    @Override
    public List<NoticeRecord> notices(String cluster) {
        return both.notices(cluster);
    }

    @Override
    public List<Transition> timeline(String kind, String id) {
        return both.timeline(kind, id);
    }

    /** First they are durable in the archive, then deleted here: whoever is killed in between does both again. */
    @Override
    public int archive(Instant jobsBefore, Instant pricedBefore, int decisions) {
        List<Archive.Old> copied = archive.take(jobsBefore, pricedBefore, decisions, SqliteDeletion.AT_ONCE);
        if (!copied.isEmpty()) {
            inOneWrite(() -> deletion.letGo(copied));
        }
        return copied.size();
    }

    @Override
    public int forgetArchived(Instant before, Instant decisionsBefore) {
        return archive.forget(before, decisionsBefore, SqliteDeletion.AT_ONCE);
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
                archive.end();
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
