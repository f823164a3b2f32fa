package org.spillway.director.directory;

import java.time.Duration;
import java.util.Optional;

/**
 * Whether an answer that is whole by its form may be half: one that lost many at once is believed when it has gone on
 * for minutes. A name service that starts anew lists nobody yet, a server that is being filled some, and rights that
 * were taken away hide a branch.
 */
final class Doubt {
    static final Duration LENGTH = Duration.ofMinutes(5);
    private static final int FEW = 3;

    private boolean doubting;
    private long sinceNanos;

    /** Known ones whom an answer lacks, of how many. */
    record Lack(int missing, int known) {
        private boolean isMany() {
            return missing > FEW && missing * 5L >= known;
        }

        private String of(String whom) {
            return "lacks " + missing + " of " + known + " " + whom + " at once";
        }
    }

    /**
     * @param elsewhere the address to which the answer leads for some of the users; empty for none. Then a single one
     *     counts
     * @return why it is not believed now
     */
    Optional<String> about(Lack users, Lack groups, String elsewhere, long nowNanos) {
        boolean led = users.missing() > 0 && !elsewhere.isEmpty();
        if (!users.isMany() && !groups.isMany() && !led) {
            doubting = false;
            return Optional.empty();
        }
        sinceNanos = doubting ? sinceNanos : nowNanos;
        doubting = true;
        if (nowNanos - sinceNanos >= LENGTH.toNanos()) {
            return Optional.empty();
        }
        return Optional.of((users.isMany() || led ? users.of("users") : groups.of("groups"))
                + (led ? ", and leads to " + elsewhere + " for them" : "")
                + "; the last content is kept for " + LENGTH.toMinutes() + " min");
    }
}
