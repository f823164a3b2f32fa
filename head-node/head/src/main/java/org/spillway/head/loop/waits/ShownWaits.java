package org.spillway.head.loop.waits;

import org.spillway.head.cause.Cause;

/** Why jobs wait, to be read. */
@FunctionalInterface
public interface ShownWaits {
    /** As last found out; none when nothing is known. Any thread. */
    Cause of(String job);
}
