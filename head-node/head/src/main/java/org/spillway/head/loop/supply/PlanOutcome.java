package org.spillway.head.loop.supply;

import java.util.List;
import org.spillway.head.journal.Entry;
import org.spillway.head.loop.waits.WaitFinding;

/**
 * All that follows from the steps of a plan.
 *
 * @param drains the workload manager is told of these before the entries are committed
 * @param entries one commit
 * @param found why jobs wait
 * @param notes for the log
 */
record PlanOutcome(List<Drain> drains, List<Entry> entries, List<WaitFinding> found, List<String> notes) {
    PlanOutcome {
        drains = List.copyOf(drains);
        entries = List.copyOf(entries);
        found = List.copyOf(found);
        notes = List.copyOf(notes);
    }

    /** The node gets no further jobs. */
    record Drain(String node, String reason) {}
}
