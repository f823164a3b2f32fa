package org.spillway.head.journal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.past.JournalMark;
import org.spillway.head.past.Standing;
import org.spillway.head.past.Start;
import org.spillway.head.past.StateIdFile;
import org.spillway.head.past.StateMark;
import org.spillway.head.past.StatePlace;

/**
 * The two memories of one state, kept in step. The mark of numbers is durable in the file before a number is given; the
 * count of commits follows the journal: at once behind what is about to be bought, and within seconds behind the rest.
 * Under the store's lock.
 */
final class KeptPast {
    private static final Logger LOG = LoggerFactory.getLogger(KeptPast.class);
    private static final long NUMBERS_AHEAD = 1000;
    private static final Duration BEHIND = Duration.ofSeconds(5);

    private final Path state;
    private final Ballast ballast;
    private final StateIdFile file;
    private final StatePlace place;
    private final boolean newEpoch;
    private final String fresh;
    private final Instant now;
    private volatile Standing standing = Standing.UNKEPT;
    private @Nullable StateMark mark;
    private long commits;
    private Instant raisedAt = Instant.MIN;

    KeptPast(Path state, boolean newEpoch, Instant now) {
        this(state, newEpoch, now, Ballast.of(state));
    }

    /** Of a state that its own head begins with later, elsewhere. */
    static KeptPast ahead(Path state, Instant now) {
        return new KeptPast(state, false, now, Ballast.none(state));
    }

    /** Of a journal that is no head's. */
    static KeptPast none(Path state) {
        return new KeptPast(state, false, Instant.EPOCH, Ballast.none(state));
    }

    private KeptPast(Path state, boolean newEpoch, Instant now, Ballast ballast) {
        this.ballast = ballast;
        this.state = state;
        this.file = new StateIdFile(state);
        this.place = new StatePlace(state);
        this.newEpoch = newEpoch;
        this.fresh = random(16);
        this.now = now;
    }

    private static String random(int bytes) {
        byte[] drawn = new byte[bytes];
        new SecureRandom().nextBytes(drawn);
        return HexFormat.of().formatHex(drawn);
    }

    /** Looks before anything is written. @throws JournalFailure if the head must not start */
    void admit(JournalMark found) {
        if (judge(found) instanceof Start.Refuse(Start.Why why)) {
            throw new JournalFailure(PastText.refusal(why, state, file.path()));
        }
    }

    private Start judge(JournalMark found) {
        try {
            return Start.of(file.read().orElse(null), found, StateIdFile.hasTraces(state), newEpoch, fresh, now);
        } catch (IOException unreadable) {
            throw new JournalFailure("the state's identity cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }

    /** Writes this start into both. A crash in between is told as what it is, or as one that calls for more care. */
    void begin(Connection writer, JournalMark found) throws SQLException {
        Start start = judge(found);
        StateMark next;
        switch (start) {
            case Start.GoOn(StateMark going) -> {
                next = going;
                if (!Files.exists(file.path())) {
                    put(new StateMark(going.identity(), going.epoch(), 0, 0, going.numbers(), false));
                }
            }
            case Start.Quarantine(StateMark isolated, Start.Why why) -> {
                next = isolated;
                LOG.warn("{}", PastText.quarantine(why, state));
                // Before the journal, so that a crash in between leaves one that lies behind.
                put(isolated);
            }
            case Start.Refuse(Start.Why why) -> throw new JournalFailure(PastText.refusal(why, state, file.path()));
        }
        commits = next.commits() + 1;
        String tag = next.identity().substring(0, 12) + "." + next.epoch() + "." + random(4);
        try (Statement statement = writer.createStatement()) {
            statement.executeUpdate("DELETE FROM identity");
            statement.executeUpdate("INSERT INTO identity (id) VALUES ('" + next.identity() + "')");
            statement.executeUpdate("INSERT INTO run (tag) VALUES ('" + tag + "')");
            set(statement, "epoch", next.epoch());
            set(statement, "starts", next.starts());
            set(statement, "commits", commits);
            if (start instanceof Start.Quarantine) {
                set(statement, "sequence", Math.max(found.sequence(), next.numbers()));
            }
        }
        writer.commit();
        put(next.withCommits(commits));
        standing = new Standing(
                tag, next.epoch(), tags(writer), next.quarantined(), next.starts() > 1 && place.isElsewhere());
        if (!standing.moved()) {
            settle();
        }
    }

    private static void set(Statement statement, String name, long value) throws SQLException {
        statement.executeUpdate("UPDATE counter SET value = " + value + " WHERE name = '" + name + "'");
    }

    private static Set<String> tags(Connection writer) throws SQLException {
        Set<String> tags = new HashSet<>();
        try (Statement statement = writer.createStatement();
                ResultSet rows = statement.executeQuery("SELECT tag FROM run")) {
            while (rows.next()) {
                tags.add(rows.getString(1));
            }
        }
        return tags;
    }

    Standing standing() {
        return standing;
    }

    Ballast ballast() {
        return ballast;
    }

    /** Within the transaction that is about to be committed. */
    void count(PreparedSql writer) throws SQLException {
        if (mark != null) {
            PreparedStatement update = writer.of("UPDATE counter SET value = ? WHERE name = 'commits'");
            update.setLong(1, commits + 1);
            update.executeUpdate();
        }
    }

    /** After a commit. @throws JournalFailure if the file cannot be written where it must be */
    void committed(Instant at, List<? extends Entry> entries) {
        if (mark != null) {
            commits++;
            boolean buys = entries.stream()
                    .anyMatch(entry -> entry instanceof IntentRecord
                            || entry instanceof ClusterRecord
                            || entry instanceof DelegatedRecord);
            if (buys || raisedAt.equals(Instant.MIN) || at.isAfter(raisedAt.plus(BEHIND)) || at.isBefore(raisedAt)) {
                raisedAt = at;
                raise();
            }
        }
    }

    /** Brings the file up to the journal. */
    void raise() {
        StateMark known = mark;
        if (known != null && known.commits() < commits) {
            put(known.withCommits(commits));
        }
    }

    /** Before the journal reserves numbers up to that one. */
    void reserve(long last) {
        StateMark known = mark;
        if (known != null && known.numbers() < last) {
            put(known.withNumbers(last + NUMBERS_AHEAD));
        }
    }

    /** No other head of this state lives. */
    void settle() {
        try {
            place.settle();
        } catch (IOException unwritten) {
            LOG.info("where this head runs is not written down: {}", unwritten.getMessage());
        }
        standing = standing.settled();
    }

    /** The end of a quarantine. */
    void release() {
        StateMark known = mark;
        if (known != null && known.quarantined()) {
            put(known.released());
            standing = standing.released();
        }
    }

    private void put(StateMark next) {
        try {
            try {
                file.write(next);
            } catch (IOException full) {
                if (!String.valueOf(full.getMessage()).contains("No space left") || !ballast.giveUp()) {
                    throw full;
                }
                file.write(next);
            }
            mark = next;
        } catch (IOException e) {
            throw new JournalFailure(
                    "the state's identity " + file.path() + " cannot be written: " + e.getMessage() + "; "
                            + DiskTrouble.repair(String.valueOf(e.getMessage())) + " and start the head again",
                    e);
        }
    }
}
