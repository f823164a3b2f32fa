package org.spillway.head.loop.port;

import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Everything that the loop does to the world. One effect per key is under way at a time; what comes of it is handed
 * back on the loop's own thread, so that the loop is the only one that decides and writes the journal.
 */
public interface Effects {
    /** Whether an effect with this key has begun and its end was not handed back yet. */
    boolean isUnderWay(String key);

    /** Begins an effect unless one with this key is under way. Exactly one of the two is called at the end, if any. */
    <T> void begin(String key, Callable<T> call, Consumer<T> done, Consumer<Exception> failed);

    /** Hands back what has ended since the last call. Loop thread only. */
    void handBack();
}
