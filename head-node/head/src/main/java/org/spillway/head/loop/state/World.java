package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.port.AskedCalls;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.settings.LoopSettings;

/**
 * Where the loop stands: the journal, the world outside, and what was settled before it began.
 *
 * @param startedAt when this head began
 * @param calls paces effects
 */
public record World(LoopSettings settings, Journal journal, Ports ports, Instant startedAt, AskedCalls calls) {
    /** Jobs that a node would be of use to, now or soon, in the order of their ids within each of the two states. */
    public List<JobRecord> waiting() {
        // Collections of the journal say their size by counting, so none is copied.
        List<JobRecord> waiting = new ArrayList<>(journal.liveJobCount());
        journal.jobs(JobState.STAGING_IN).forEach(waiting::add);
        journal.jobs(JobState.QUEUED).forEach(waiting::add);
        return waiting;
    }
}
