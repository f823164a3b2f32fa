package org.spillway.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.function.Supplier;

/** The place where a user typed a command, as far as a command of every minute may look around. */
public interface Surroundings {
    /** @param socket where it is, asked only by those who have to look for it */
    HeadClient head(Supplier<Path> socket);

    /** The folder that relative paths start from. */
    Path here();

    /**
     * A script's bytes.
     *
     * @param path as the user typed it, or {@code -} for standard input
     */
    InputStream script(String path) throws IOException;

    /** @param path absolute */
    boolean isDirectory(Path path);

    /** Under which a submission is known, however often it is sent. */
    String submissionKey();

    /**
     * Said before a command waits, or reads what came home.
     *
     * @throws NotHere where only the user's own process may do so
     */
    void needOwnProcess();

    /** The command is to be run by a process of the user's own; nothing was done. */
    final class NotHere extends RuntimeException {
        private static final long serialVersionUID = 1;

        public NotHere(String why) {
            super(why, null, false, false);
        }
    }
}
