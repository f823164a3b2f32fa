package org.spillway.slurm.settings;

import java.util.Optional;
import java.util.stream.Stream;

/** The meaning of a job's pending reason for the scaler. Which reason means what stands in {@link PendingReasons}. */
public enum PendingReason {
    /** More nodes would help. */
    SCALES("scale"),
    /** More nodes would help only if none of the partition's is there: otherwise the job waits for its turn. */
    SCALES_WITHOUT_NODES("scale-without-nodes"),
    /** The job waits for its data; it scales as far as the rest of the data takes no longer than a boot. */
    STAGING("staging"),
    /** No node would help: the user, a limit or the clock is asked. */
    NEVER("never");

    private final String word;

    PendingReason(String word) {
        this.word = word;
    }

    /** As the configuration and the documentation call it. */
    public String word() {
        return word;
    }

    /** The one of that word, of those that a site may choose. */
    public static Optional<PendingReason> chosen(String word) {
        return Stream.of(SCALES, SCALES_WITHOUT_NODES, NEVER)
                .filter(meaning -> meaning.word.equals(word))
                .findFirst();
    }
}
