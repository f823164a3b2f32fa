package org.spillway.scaler.simulate;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** All that will happen, in the order of time, and at one time in the order in which it was put down. */
final class Agenda {
    static final long NEVER = Long.MAX_VALUE;

    enum Kind {
        END,
        READY,
        RECLAIM,
        GONE
    }

    record Event(long at, long number, Kind kind, @Nullable SimulatedJob job, int attempt, SimulatedNode node)
            implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long number;

    void put(long at, Kind kind, @Nullable SimulatedJob job, SimulatedNode node) {
        events.add(new Event(at, number++, kind, job, job == null ? 0 : job.attempt(), node));
    }

    /** When the next event happens; {@link #NEVER} when there is none. */
    long next() {
        Event first = events.peek();
        return first == null ? NEVER : first.at();
    }

    /** The next event of exactly this time, which is then done with; null when there is none more. */
    @Nullable
    Event take(long now) {
        return next() == now ? events.poll() : null;
    }
}
