package org.spillway.image.store;

import java.io.IOException;
import org.spillway.image.posix.FileFacts;

/** Reads contents of a tree's files. */
interface Contents {
    /**
     * Reads a file as a whole.
     *
     * @param file absolute
     * @param facts as they were before
     * @return its SHA-256
     */
    String sha256(String file, FileFacts facts) throws IOException;
}
