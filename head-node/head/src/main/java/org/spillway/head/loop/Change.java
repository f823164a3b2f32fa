package org.spillway.head.loop;

import java.util.List;
import org.spillway.head.journal.Entry;

/**
 * A request's entries to be written, and its answer once they are durable.
 *
 * @param entries empty when there is nothing to write: the answer is true already
 */
public record Change<T>(List<? extends Entry> entries, T answer) {
    public Change {
        entries = List.copyOf(entries);
    }

    public static <T> Change<T> none(T answer) {
        return new Change<>(List.of(), answer);
    }
}
