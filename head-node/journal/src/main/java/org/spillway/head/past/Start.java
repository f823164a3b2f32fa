package org.spillway.head.past;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Consequences of what a state directory holds at the start of a head. */
public sealed interface Start {
    /** The journal knows its past, or has none. @param mark with which it goes on */
    record GoOn(StateMark mark) implements Start {}

    /** The journal does not know all that may run. @param mark of the new epoch */
    record Quarantine(StateMark mark, Why why) implements Start {}

    /** Nothing is begun and nothing is changed. */
    record Refuse(Why why) implements Start {}

    /** Reasons for mistrust. */
    enum Why {
        /** The journal is empty or missing, and something beside it is not. */
        EMPTY,
        /** An older copy: what was done since is not in it. */
        OLDER,
        /** Of another state. */
        FOREIGN,
        /** The journal has an identity, and the secrets beside it have none. */
        UNMARKED
    }

    /** Before it, no head gave numbers: those from a clock begin here. */
    Instant EARLIEST = Instant.parse("2020-01-01T00:00:00Z");

    /**
     * Compares the two memories of one state. Pure.
     *
     * @param kept what the secrets remember; null when they have no mark
     * @param traces secrets or images of a cluster are there
     * @param newEpoch an administrator says that an empty or unmarked journal is to be gone on with
     * @param fresh identity for a state that has none yet, 32 random hex digits
     */
    static Start of(
            @Nullable StateMark kept,
            JournalMark journal,
            boolean traces,
            boolean newEpoch,
            String fresh,
            Instant now) {
        if (kept == null) {
            return unmarked(journal, traces, newEpoch, fresh, now);
        }
        if (!journal.identity().isEmpty() && !journal.identity().equals(kept.identity())) {
            return new Refuse(Why.FOREIGN);
        }
        if (kept.isUnused() && journal.identity().isEmpty()) {
            return new GoOn(next(kept, journal, kept.epoch(), false));
        }
        if (journal.isEmpty() || (journal.identity().isEmpty() && journal.sequence() == 0)) {
            return newEpoch ? quarantine(kept, journal, Why.EMPTY) : new Refuse(Why.EMPTY);
        }
        boolean older = journal.identity().isEmpty()
                || journal.epoch() < kept.epoch()
                || journal.starts() < kept.starts()
                || journal.commits() < kept.commits();
        return older
                ? quarantine(kept, journal, Why.OLDER)
                : new GoOn(next(kept, journal, Math.max(kept.epoch(), journal.epoch()), kept.quarantined()));
    }

    private static Start unmarked(JournalMark journal, boolean traces, boolean newEpoch, String fresh, Instant now) {
        boolean isBare = journal.isEmpty() || (journal.identity().isEmpty() && journal.sequence() == 0);
        if (journal.identity().isEmpty() && (!isBare || !traces)) {
            return new GoOn(next(new StateMark(fresh, 1, 0, 0, 0, false), journal, 1, false));
        }
        Why why = isBare ? Why.EMPTY : Why.UNMARKED;
        if (!newEpoch) {
            return new Refuse(why);
        }
        // Nobody remembers how far numbers had come: more than one in each second since then cannot have been given.
        long numbers =
                Math.max(journal.sequence(), Duration.between(EARLIEST, now).toSeconds());
        String identity = journal.identity().isEmpty() ? fresh : journal.identity();
        return quarantine(new StateMark(identity, 1, 0, 0, numbers, false), journal, why);
    }

    private static Quarantine quarantine(StateMark kept, JournalMark journal, Why why) {
        return new Quarantine(next(kept, journal, Math.max(kept.epoch(), journal.epoch()) + 1, true), why);
    }

    private static StateMark next(StateMark kept, JournalMark journal, int epoch, boolean quarantined) {
        return new StateMark(
                kept.identity(),
                epoch,
                Math.max(kept.starts(), journal.starts()) + 1,
                Math.max(kept.commits(), journal.commits()),
                Math.max(kept.numbers(), journal.sequence()),
                quarantined);
    }
}
