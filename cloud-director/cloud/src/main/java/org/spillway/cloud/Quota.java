package org.spillway.cloud;

import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;

/**
 * A provider's quota as it stands, whatever the provider.
 *
 * @param name of the quota at the provider's, such as {@code L-DB2E81BA} or {@code cores}
 * @param family by which offerings that count against it are known: {@link
 *     org.spillway.policy.Offering#quotaFamily()}
 * @param title in the provider's words
 * @param used of it now by all of the account; {@link #UNTOLD} where the provider does not say
 * @param most that may be used at once
 * @param raise a command or a page by which more is asked for
 */
public record Quota(String name, String family, String title, Unit unit, long used, long most, String raise) {
    public static final long UNTOLD = -1;

    public Quota {
        if (used < UNTOLD || most < 0) {
            throw new IllegalArgumentException("quota " + name + ": " + used + " of " + most);
        }
    }

    /** In what a quota is counted. */
    public enum Unit {
        INSTANCES("instances"),
        CPUS("vCPUs"),
        MEMORY_MIB("MiB of memory");

        private final String text;

        Unit(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    /** Whether so much more fits; what is used by nobody knows whom counts as nothing. */
    public boolean fits(long more) {
        return Math.max(0, used) + more <= most;
    }

    /** "96 of 96 vCPUs are used". */
    public String text() {
        return used == UNTOLD
                ? "the limit is " + most + " " + unit.text() + ", what is used is not told"
                : used + " of " + most + " " + unit.text() + " are used";
    }

    /**
     * Doctor's finding of this quota.
     *
     * @param type that would be launched, and {@code needed} what one takes
     * @param full the verdict when it does not fit
     */
    public Finding finding(String type, long needed, Verdict full) {
        boolean fits = fits(needed);
        return new Finding(
                "quota " + name,
                fits ? Verdict.GOOD : full,
                (title.isEmpty() ? "" : title + ": ") + text() + "; one " + type + " takes " + needed,
                fits ? "" : raise);
    }
}
