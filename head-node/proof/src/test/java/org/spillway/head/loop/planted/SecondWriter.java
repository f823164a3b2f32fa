package org.spillway.head.loop.planted;

import java.util.List;
import org.spillway.head.loop.waits.Waits;

/** A room that shows by itself why jobs wait. */
public final class SecondWriter {
    public void quiet(Waits waits) {
        waits.take(List.of(), job -> false);
    }
}
