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
     * @param table {@code pages} for the file itself, {@link #REFERENCE} for a row that needs another
     * @param key of the row; empty where it is not of one row
     */
    public record Damage(String table, String key, String what) {
        static final String REFERENCE = "reference";

        @Override
        public String toString() {
            return table + (key.isEmpty() ? "" : " " + key) + ": " + what;
        }
    }

    public boolean isWhole() {
        return damages.isEmpty();
    }

    /** Whether each row can be read, though some may need one that is not there: a head can start with it. */
    public boolean isReadable() {
        return more == 0 && damages.stream().allMatch(one -> one.table().equals(Damage.REFERENCE));
    }

    /** The first damages in a sentence. */
    String summary() {
        return damages.getFirst() + (count() > 1 ? " (and " + (count() - 1) + " more)" : "");
    }

    /** Number of all damages. */
    public long count() {
        return damages.size() + more;
    }
}
