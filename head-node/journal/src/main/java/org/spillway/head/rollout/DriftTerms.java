package org.spillway.head.rollout;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Terms by which nodes of a category look at whether the root of their jobs is still the version that they attest.
 *
 * @param periodSeconds between two looks, {@link #LEAST_PERIOD} to {@link #LONGEST_PERIOD}
 */
public record DriftTerms(Policy policy, int periodSeconds) {
    public static final int LEAST_PERIOD = 5;
    public static final int LONGEST_PERIOD = 86_400;
    public static final DriftTerms USUAL = new DriftTerms(Policy.REPORT, 60);

    /** Consequences of a difference. */
    public enum Policy {
        REPORT,
        /** The node gets no further jobs. */
        DRAIN,
        /** The node mounts a proven file of the version; one that cannot is drained. */
        REPAIR;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** All words of settings. */
        public static List<String> words() {
            return Arrays.stream(values()).map(Policy::word).toList();
        }
    }
}
