package org.spillway.stage.transfer;

import java.io.IOException;

/** Bytes arrived that are not the ones that were sent. */
public final class ChecksumMismatch extends IOException {
    private static final long serialVersionUID = 1;

    public ChecksumMismatch(String message) {
        super(message);
    }
}
