package org.spillway.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a progress line makes sense. */
public final class Terminal {
    private Terminal() {}

    /** Whether standard error is a terminal: the JDK tells it of input and output only. */
    public static boolean isStandardError() {
        return is(2);
    }

    /** Whether somebody can be asked. */
    public static boolean isStandardInput() {
        return is(0);
    }

    /** Whether keys and what is shown are one terminal's. */
    static boolean isInputAndOutput() {
        return is(0) && is(1);
    }

    /** Shows how far something is, in place of what was shown before; nothing where standard error is no terminal. */
    public static void progress(PrintWriter err, String text) {
        if (isStandardError()) {
            err.print("\r\u001b[K" + text.replaceAll("\\p{Cntrl}", "?"));
            err.flush();
        }
    }

    private static boolean is(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException unknown) {
            return false;
        }
    }
}
