package org.spillway.head.journal;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** A head's housekeeping in a process of its own: moves what is old until nothing is, or it is killed. */
final class JournalMover {
    private JournalMover() {}

    /** @param arguments state directory */
    public static void main(String[] arguments) {
        Instant now = Instant.parse("2026-11-23T12:00:00Z");
        Instant before = now.plus(Duration.ofDays(1));
        try (JournalStore store = SqliteJournalStore.open(Path.of(arguments[0]), false, now)) {
            while (store.archive(before, before, 1) > 0) {
                System.out.println("moved");
            }
        }
        System.out.println("done");
    }
}
