package org.spillway.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Supplier;

/** A process that the user started: all that it may see is the user's to see. */
final class OwnProcess implements Surroundings {
    /** The launcher's: what it asked of the head before it left the command to this process. */
    private static final String KEY = "SPILLWAY_SUBMIT_KEY";

    @Override
    public HeadClient head(Supplier<Path> socket) {
        return new HeadClient(socket.get());
    }

    @Override
    public Path here() {
        return Path.of("").toAbsolutePath();
    }

    @Override
    public InputStream script(String path) throws IOException {
        return path.equals("-") ? System.in : Files.newInputStream(Path.of(path));
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path);
    }

    @Override
    public String submissionKey() {
        var begun = System.getenv(KEY);
        return begun == null || begun.isEmpty() ? UUID.randomUUID().toString() : begun;
    }

    @Override
    public void needOwnProcess() {
        // This is one.
    }
}
