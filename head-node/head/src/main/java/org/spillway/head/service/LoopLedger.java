package org.spillway.head.service;

import java.time.Instant;
import java.util.function.Function;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Change;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.ondemand.broker.Ledger;

/**
 * The children's purchases, in the head's own journal: the loop's thread checks and writes them, as it does all else.
 */
public record LoopLedger(Loop loop, LoopRunner runner, Journal journal) implements Ledger {
    /** The key of all children: what one is given, another's check must see. */
    private static final String KEY = "delegated";

    @Override
    public <T> T change(Function<Instant, Change<T>> change) {
        return runner.change(KEY, change);
    }

    @Override
    public int room(String site) {
        return loop.room(site);
    }
}
