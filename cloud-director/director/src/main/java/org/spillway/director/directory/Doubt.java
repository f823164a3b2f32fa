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

    /**
     * @param missing known ones whom the answer lacks
     * @param elsewhere the address to which the answer leads for some of them; empty for none. Then a single one counts
     * @return why it is not believed now
     */
    Optional<String> about(int missing, int known, String elsewhere, long nowNanos) {
        boolean many = missing > FEW && missing * 5L >= known;
        if (!many && (missing == 0 || elsewhere.isEmpty())) {
            doubting = false;
            return Optional.empty();
        }
        sinceNanos = doubting ? sinceNanos : nowNanos;
        doubting = true;
        return nowNanos - sinceNanos >= LENGTH.toNanos()
                ? Optional.empty()
                : Optional.of("lacks " + missing + " of " + known + " users at once"
                        + (elsewhere.isEmpty() ? "" : ", and leads to " + elsewhere + " for them")
                        + "; the last content is kept for " + LENGTH.toMinutes() + " min");
    }
}
