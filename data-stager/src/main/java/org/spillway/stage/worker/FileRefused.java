package org.spillway.stage.worker;

import java.io.IOException;

/** The user's own rights, or the file's nature, forbid it. The message names the path and the reason. */
public final class FileRefused extends IOException {
    private static final long serialVersionUID = 1;

    public FileRefused(String message) {
        super(message);
    }
}
