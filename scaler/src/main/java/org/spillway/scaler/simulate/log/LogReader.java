package org.spillway.scaler.simulate.log;

import java.io.IOException;

/** A way of writing a log. */
interface LogReader {
    void read(Lines lines, Collected into) throws IOException, BrokenLog;
}
