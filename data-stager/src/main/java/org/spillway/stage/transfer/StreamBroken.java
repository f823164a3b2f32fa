package org.spillway.stage.transfer;

import java.io.IOException;

/** A connection has died under a call. What had arrived is there, and the same call may be made again at once. */
public final class StreamBroken extends IOException {
    private static final long serialVersionUID = 1;

    public StreamBroken(String message, Throwable cause) {
        super(message, cause);
    }
}
