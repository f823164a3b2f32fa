package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.IntentRecord;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.past.JournalMark;
import org.spillway.head.past.Standing;
import org.spillway.head.past.Start;
import org.spillway.head.past.StateMark;

/**
 * The secrets' memory of the journal beside them, copies of the journal, and the moment when one of them, or nothing, is put in
 * its place. Whether a head may start then, and as what, is said by the production rule.
 */
final class SimPast {
    private static final Duration BEHIND = Duration.ofSeconds(5);
    private static final long NUMBERS_AHEAD = 1000;

    private final MemoryJournalStore disk;
    private final Draw draw;
    private final Set<Long> given = new HashSet<>();
    private @Nullable StateMark kept;
    private JournalMark mark = JournalMark.EMPTY;
    private Set<String> tags = Set.of();
    private @Nullable Copy copy;
    private boolean isPutBack;
    private Instant raisedAt = Instant.MIN;

    private record Copy(MemoryJournalStore.Copy journal, JournalMark mark, Set<String> tags) {}

    SimPast(MemoryJournalStore disk, Draw draw) {
        this.disk = disk;
        this.draw = draw;
    }

    /** Somebody makes a backup. */
    void copyNow() {
        copy = new Copy(disk.copy(), mark, tags);
    }

    boolean hasCopy() {
        return copy != null;
    }

    /** In the place of the journal there is the last copy of it now, or a file without a byte. */
    void putBack(boolean empty) {
        Copy older =
                empty || copy == null ? new Copy(MemoryJournalStore.Copy.EMPTY, JournalMark.EMPTY, Set.of()) : copy;
        isPutBack = true;
        disk.restore(older.journal);
        mark = older.mark;
        tags = older.tags;
    }

    /**
     * A head starts.
     *
     * @param newEpoch an administrator says that it is to go on with an empty journal
     * @return whether it may; nothing has changed where it may not
     */
    boolean begin(boolean newEpoch, Instant now) {
        JournalMark found = new JournalMark(
                mark.identity(), mark.epoch(), mark.starts(), mark.commits(), disk.sequence(), mark.isEmpty());
        StateMark next;
        switch (Start.of(kept, found, kept != null, newEpoch, "%032x".formatted(draw.id()), now)) {
            case Start.Refuse refused -> {
                return false;
            }
            case Start.GoOn(StateMark going) -> {
                next = going;
                if (isPutBack) {
                    // Of the last seconds nobody can tell; and a store in memory has no blocks of numbers that hide it.
                    given.clear();
                }
            }
            case Start.Quarantine(StateMark isolated, Start.Why why) -> {
                next = isolated;
                disk.skipTo(isolated.numbers());
            }
        }
        String tag = next.identity().substring(20) + "." + next.epoch() + "." + Long.toHexString(draw.id());
        Set<String> all = new HashSet<>(tags);
        all.add(tag);
        tags = Set.copyOf(all);
        mark = new JournalMark(
                next.identity(), next.epoch(), next.starts(), next.commits() + 1, disk.sequence(), false);
        kept = next.withCommits(mark.commits());
        raisedAt = Instant.MIN;
        disk.stands(new Standing(tag, next.epoch(), tags, next.quarantined(), false));
        return true;
    }

    void wrote(Instant at, List<? extends Entry> entries) {
        mark = new JournalMark(
                mark.identity(), mark.epoch(), mark.starts(), mark.commits() + 1, mark.sequence(), false);
        boolean buys = entries.stream()
                .anyMatch(entry -> entry instanceof IntentRecord
                        || entry instanceof ClusterRecord
                        || entry instanceof DelegatedRecord);
        if (kept != null && (buys || raisedAt.equals(Instant.MIN) || at.isAfter(raisedAt.plus(BEHIND)))) {
            raisedAt = at;
            kept = kept.withCommits(mark.commits());
        }
    }

    void gave(long number) {
        if (!given.add(number)) {
            throw new Broken("number " + number + " was given twice");
        }
        if (kept != null && kept.numbers() < number) {
            kept = kept.withNumbers(number + NUMBERS_AHEAD);
        }
    }

    void released() {
        if (kept != null) {
            kept = kept.released();
        }
    }
}
