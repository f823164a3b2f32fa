package org.spillway.slurm.setup;

import java.util.List;
import java.util.Optional;

/**
 * Changes of a site's files, as they are written down before and after.
 *
 * @param files all that are not as they were
 * @param pending moves of a call that has not ended; {@code files} are those from before it
 */
public record Manifest(int version, List<Managed> files, List<Move> pending) {
    static final int VERSION = 1;
    static final Manifest NONE = new Manifest(VERSION, List.of(), List.of());

    public Manifest {
        files = List.copyOf(files);
        pending = List.copyOf(pending);
    }

    /** @param path absolute, no link @param original before us @param ours as we left it */
    public record Managed(String path, FileState original, FileState ours) {}

    /** A file's way from one state to another. */
    public record Move(String path, FileState from, FileState to) {}

    Optional<Managed> of(String path) {
        return files.stream().filter(file -> file.path().equals(path)).findFirst();
    }
}
