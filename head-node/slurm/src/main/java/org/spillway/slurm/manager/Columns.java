package org.spillway.slurm.manager;

import java.util.List;

/** Reads the columns of one row from left to right, and knows which one was read last. */
final class Columns {
    private final List<String> row;
    private int next;

    Columns(List<String> row) {
        this.row = row;
    }

    /** Index of the column that was read last. */
    int last() {
        return Math.max(0, next - 1);
    }

    String text() {
        return row.get(next++);
    }

    /** As {@link #text()}, and empty for Slurm's words for nothing. */
    String word() {
        return SlurmText.orEmpty(text());
    }

    List<String> list() {
        return SlurmText.list(text());
    }

    /** A number; 0 for Slurm's words for nothing. */
    long number() {
        String text = text();
        return SlurmText.isNothing(text) ? 0 : Long.parseLong(text);
    }

    /** As {@link #number()}, within the range of an int. Slurm shortens nothing here but may add a {@code +}. */
    int smallNumber() {
        String text = text();
        if (SlurmText.isNothing(text)) {
            return 0;
        }
        return Integer.parseInt(text.endsWith("+") ? text.substring(0, text.length() - 1) : text);
    }
}
