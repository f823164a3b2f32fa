package org.spillway.head.command;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Map;

/** Sentences on what kept a head from starting: the system's own often name neither a path nor a repair. */
final class StartTrouble {
    /** Repairs by what the kernel says (errno's texts). */
    private static final Map<String, String> REPAIRS = Map.of(
            "No space left on device", "make room on that disk, then start again",
            "Disk quota exceeded", "raise the quota of the head's user or make room, then start again",
            "Read-only file system", "mount it to be written, or give the head another 'state:'",
            "Input/output error", "the disk fails: look at the kernel's log, and put a backup on another one",
            "Permission denied", "let the user that the head runs as write there",
            "Too many open files", "raise the limit of open files of the head's service (LimitNOFILE, ulimit -n)");

    private StartTrouble() {}

    /** @param state directory, which is meant where the failure names no file */
    static String sentence(IOException failure, Path state) {
        String said = String.valueOf(failure.getMessage());
        for (var repair : REPAIRS.entrySet()) {
            if (said.contains(repair.getKey())) {
                String file =
                        failure instanceof FileSystemException named && named.getFile() != null ? named.getFile() : "";
                boolean isNamed = said.contains("/");
                return (file.isEmpty()
                                ? isNamed ? said : "the state directory " + state + " cannot be used: " + said
                                : file + ": " + repair.getKey())
                        + "; " + repair.getValue();
            }
        }
        return said;
    }
}
