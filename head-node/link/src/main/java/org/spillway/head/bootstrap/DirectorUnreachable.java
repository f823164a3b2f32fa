package org.spillway.head.bootstrap;

import java.io.IOException;

/** Nobody could log in to a director's machine: its installation has not begun. */
public final class DirectorUnreachable extends IOException {
    private static final long serialVersionUID = 1;

    public DirectorUnreachable(String message, Throwable cause) {
        super(message, cause);
    }
}
