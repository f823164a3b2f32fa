package org.spillway.head.loop.waits;

import java.util.Comparator;
import org.spillway.head.cause.Cause;

/**
 * Something that was found out in a tick about why a job waits. No room of the loop remembers it or shows it: what is shown
 * follows from all findings of a tick ({@link Waits}).
 *
 * @param cause none when nothing is in the way any more
 */
public record WaitFinding(String job, Finder finder, Cause cause) {
    /** The stronger one is the greater. Of two that one finder has made, the order is arbitrary, but always the same. */
    static final Comparator<WaitFinding> BY_STRENGTH = Comparator.comparing(WaitFinding::finder)
            .thenComparing(finding -> finding.cause().code())
            .thenComparing(finding -> finding.cause().toString());

    public static WaitFinding nothing(String job, Finder finder) {
        return new WaitFinding(job, finder, Cause.NONE);
    }
}
