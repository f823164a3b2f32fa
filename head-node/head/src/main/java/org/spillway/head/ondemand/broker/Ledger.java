package org.spillway.head.ondemand.broker;

import java.time.Instant;
import java.util.function.Function;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Change;

/**
 * The head's journal and limits, as the broker uses them. The parent's own budget is not among them: the whole budget of a
 * child was taken from it when the child was made.
 */
public interface Ledger {
    /** For reading; any thread. */
    Journal journal();

    /**
     * Has a change worked out on the thread that alone writes, after all that came before it, and waits until it is
     * durable.
     *
     * @throws RuntimeException if it was not written; or, rarely, if that did not become known in time
     */
    <T> T change(Function<Instant, Change<T>> change);

    /** How many more instances the parent's limit of that site leaves, children's taken away. Within a change only. */
    int room(String site);
}
