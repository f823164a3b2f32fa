package org.spillway.head.journal;

import java.nio.file.Path;
import java.util.List;

/**
 * Findings of a journal that was read as a whole.
 *
 * @param bytes of the file
 * @param schema of its tables; 0 when there are none
 * @param identity of its state; empty for one of a release that had none
 * @param commits that it has made
 * @param records that were read, of all kinds
 * @param lines of timelines that were read
 * @param damages at most {@link #MOST}
 * @param more damages beyond these
 */
public record JournalReport(
        Path file,
        long bytes,
        int schema,
        String identity,
        int epoch,
        long commits,
        long records,
        long lines,
        List<Damage> damages,
        long more) {
    /** As many are listed. */
    public static final int MOST = 1000;

    public JournalReport {
        damages = List.copyOf(damages);
    }

    /**
     * A mistake.
     *
     * @param table {@code pages} for the file itself
     * @param key of the row; empty where it is not of one row
     */
    public record Damage(String table, String key, String what) {
        @Override
        public String toString() {
            return table + (key.isEmpty() ? "" : " " + key) + ": " + what;
        }
    }

    public boolean isWhole() {
        return damages.isEmpty();
    }

    /** Number of all damages. */
    public long count() {
        return damages.size() + more;
    }
}
