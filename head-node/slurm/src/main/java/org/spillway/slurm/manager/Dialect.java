package org.spillway.slurm.manager;

import java.util.List;

/**
 * How this Slurm is asked for jobs, which differs by release and is found out by asking.
 *
 * @param apart the option without which squeue puts waiting tasks that have ids of their own, by which the hooks call them,
 *     into their array's row
 * @param sharing the column that tells who wants whole nodes
 */
record Dialect(String apart, String sharing) {
    /** 22.05 knows it, 24.11 does not. */
    static final String UNIQUE = "--array-unique";
    /** A row for each task that waits: {@link ArrayRows}. */
    static final String EACH = "--array";

    /** 26.05 has it; there the other one is NO for everybody. */
    static final String EXCLUSIVE = "Exclusive";

    static final String OVERSUBSCRIBE = "OverSubscribe";

    /** Of 22.05. */
    static final Dialect FIRST = new Dialect(UNIQUE, OVERSUBSCRIBE);

    /** The fields to ask squeue for, in the order that {@link SlurmJob#of} reads. */
    List<String> fields() {
        return SlurmJob.FIELDS.stream()
                .map(field -> field.equals(OVERSUBSCRIBE) ? sharing : field)
                .toList();
    }

    /**
     * By which a task is asked for that waits with others. From 24.11 on its own number has its output named for it alone, from
     * which nobody can tell the others'; among all of the array's it has Slurm's number for none there, as in 22.05.
     *
     * @param id digits, or {@code ARRAY_TASK}
     */
    String asked(String id) {
        int at = id.indexOf('_');
        return at < 0 || apart.equals(UNIQUE) ? id : id.substring(0, at);
    }

    /** Of the old column NO and the exclusive kinds share nothing. */
    boolean isExclusive(String text) {
        if (sharing.equals(EXCLUSIVE)) {
            return !text.equals("NO");
        }
        return switch (text) {
            case "NO", "EXCLUSIVE", "USER", "MCS" -> true;
            default -> false;
        };
    }
}
