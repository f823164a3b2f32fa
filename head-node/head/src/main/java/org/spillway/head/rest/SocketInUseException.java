package org.spillway.head.rest;

import java.io.IOException;

/** Another head answers at the socket. */
public final class SocketInUseException extends IOException {
    private static final long serialVersionUID = 1;

    SocketInUseException(String path) {
        super("socket in use by another head: " + path);
    }
}
