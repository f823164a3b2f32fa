package org.spillway.head.bootstrap;

import java.io.IOException;
import org.spillway.head.link.DirectorTarget;

/** Makes a running director of a booted instance. */
public interface DirectorInstaller {
    /**
     * Uploads what is missing, starts the process if it does not run, and returns when it answers. Idempotent: on an
     * installed director that has died it only starts the process again, and what is staged there stays.
     *
     * @throws DirectorUnreachable when nobody can log in there
     */
    void install(DirectorTarget director) throws IOException;
}
