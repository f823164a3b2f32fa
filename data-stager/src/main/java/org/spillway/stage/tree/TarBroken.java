package org.spillway.stage.tree;

import java.io.IOException;

/** A stream is not what tar would have written; reading it again gives nothing else. */
public final class TarBroken extends IOException {
    private static final long serialVersionUID = 1;

    public TarBroken(String message) {
        super(message);
    }
}
