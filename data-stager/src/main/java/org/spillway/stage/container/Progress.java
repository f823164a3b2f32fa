package org.spillway.stage.container;

import java.io.IOException;

/** Told now and then that work goes on. */
@FunctionalInterface
public interface Progress {
    void working() throws IOException;
}
