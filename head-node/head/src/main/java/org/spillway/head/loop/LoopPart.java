package org.spillway.head.loop;

import java.time.Instant;
import java.util.List;
import org.spillway.head.loop.state.Rivals;

/** A part that is called in each tick, on the loop's thread, and writes the same journal. */
public interface LoopPart {
    /** Never waits. @param releasing all is to end */
    void advance(Instant now, boolean releasing);

    /** Whether anything is expected to change soon. */
    boolean isBusy();

    /** Names of those, as {@link Rivals} has them, who know whether another head of this state commands them. */
    default List<String> led() {
        return List.of();
    }

    /** Asks these, and begins nothing. Never waits. */
    default void ask(Instant now) {}
}
