package org.spillway.head.journal;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The decisions that are still kept. Any thread; each answer is of one moment. */
public interface DecisionLog {
    Optional<DecisionEntry> find(String id);

    /** The one that was journalled at that very time, which is the time of all that it bought. */
    Optional<DecisionEntry> at(Instant time);

    /** The latest, the latest first. @param most 0 or more */
    List<Line> latest(int most);

    /** A decision by name. @param at to the millisecond */
    record Line(String id, Instant at) {}
}
