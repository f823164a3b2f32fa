package org.spillway.image.posix;

import java.io.IOException;

/** A call that the kernel refused. The message names path and cause. */
public final class PosixFailure extends IOException {
    private static final long serialVersionUID = 1;
    private static final int ENODATA = 61;
    private static final int EOPNOTSUPP = 95;

    private final int errno;

    PosixFailure(String message, int errno) {
        super(message);
        this.errno = errno;
    }

    /** Whether the file system keeps no such thing, or this file has none. */
    boolean isAbsence() {
        return errno == ENODATA || errno == EOPNOTSUPP;
    }
}
