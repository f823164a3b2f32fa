package org.spillway.head.bootstrap;

import java.nio.file.Path;

/**
 * A Java for machines that have none.
 *
 * @param name of its folder there: version, architecture and what it was made of
 * @param machine the only architecture on which it runs, as {@code uname -m} says it
 * @param file a tar, compressed by gzip, with {@code bin/java} in it
 * @param sha256 hex, of the file
 */
record JavaArchive(String name, String machine, Path file, String sha256) {
    JavaArchive {
        // Words of a command on the instance.
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._+-]{0,100}") || !sha256.matches("[0-9a-f]{64}")) {
            throw new IllegalArgumentException("not a name or digest of an archive: " + name + ", " + sha256);
        }
    }

    /** Where instances get one from. */
    interface Source {
        /** @throws java.io.IOException if none can be made; the message says what to do */
        JavaArchive get() throws java.io.IOException;
    }
}
