package org.spillway.head.ondemand.broker;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Function;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.loop.Change;

/** A journal in memory, with the rules of the real one and one writer at a time. */
final class BookOfOne implements Ledger {
    private final Journal journal;
    private final InstantSource clock;
    private final Runnable before;
    private final Runnable after;
    int room = Integer.MAX_VALUE;

    BookOfOne(MemoryJournalStore store, InstantSource clock) {
        this(store, clock, () -> {}, () -> {});
    }

    /** @param before run before each write, as {@code after} is after it */
    BookOfOne(MemoryJournalStore store, InstantSource clock, Runnable before, Runnable after) {
        this.journal = new Journal(store, Instant.EPOCH);
        this.clock = clock;
        this.before = before;
        this.after = after;
    }

    @Override
    public Journal journal() {
        return journal;
    }

    @Override
    public synchronized <T> T change(Function<Instant, Change<T>> change) {
        Instant now = clock.instant();
        Change<T> made = change.apply(now);
        if (!made.entries().isEmpty()) {
            before.run();
            journal.commit(now, made.entries());
            after.run();
        }
        return made.answer();
    }

    @Override
    public int room(String site) {
        return room;
    }
}
