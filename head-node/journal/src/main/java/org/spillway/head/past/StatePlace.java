package org.spillway.head.past;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The file {@code head.place}: in which directory the last head ran. A directory that is a copy says another's. Whoever
 * holds the lock of the one that it names knows that the last head has ended.
 */
public final class StatePlace {
    private final Path state;
    private final Path file;

    public StatePlace(Path stateDirectory) {
        this.state = stateDirectory;
        this.file = stateDirectory.resolve("head.place");
    }

    /** Whether the last head ran elsewhere, as far as can be told; also where nobody has written it down. */
    public boolean isElsewhere() {
        try {
            return !Files.readString(file).equals(here());
        } catch (IOException unsaid) {
            return true;
        }
    }

    /** Writes down that it is here. Idempotent; it may be lost in a crash, which costs the next start a few seconds. */
    public void settle() throws IOException {
        Files.writeString(file, here(), StandardCharsets.UTF_8);
    }

    private String here() throws IOException {
        Path real = state.toRealPath();
        return real + " "
                + Files.readAttributes(real, BasicFileAttributes.class).fileKey() + "\n";
    }
}
