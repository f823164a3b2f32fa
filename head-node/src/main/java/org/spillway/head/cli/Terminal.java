package org.spillway.head.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a progress line makes sense. */
public final class Terminal {
    private Terminal() {}

    /** Whether standard error is a terminal: the JDK tells it of input and output only. */
    public static boolean isStandardError() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException unknown) {
            return false;
        }
    }
}
