package org.spillway.head.link;

import java.io.IOException;

/** The answering machine does not hold a key that the head made: it is not our director, or not yet. */
public final class HostKeyRefused extends IOException {
    private static final long serialVersionUID = 1;

    HostKeyRefused(String message) {
        super(message);
    }
}
