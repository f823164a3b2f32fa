package org.spillway.stage.worker;

import java.io.ByteArrayOutputStream;

/** Collects an answer of a length that is expected: one that is there as a whole is no copy. */
final class WantedBytes extends ByteArrayOutputStream {
    /** @param most bytes that were asked for, 0 or more */
    WantedBytes(int most) {
        super(Math.max(32, most));
    }

    byte[] bytes() {
        return count == buf.length ? buf : toByteArray();
    }
}
