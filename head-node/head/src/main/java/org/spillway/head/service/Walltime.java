package org.spillway.head.service;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobSubmission;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.limits.Lifetime;
import org.spillway.settings.Quantities;

/**
 * The walltime of a submission. One that was asked for is taken or refused, another is cut to what a cluster on demand has
 * time and money for. Pure.
 *
 * @param usual the queue's limit where none was asked for, else null
 * @param note for its user; empty for none
 */
record Walltime(Duration length, @Nullable Duration usual, String note) {
    /**
     * @param bounds of a cluster on demand; empty for another head
     * @throws ApiException LIMIT_EXCEEDED over the queue's limit, or longer than the cluster lives
     */
    static Walltime of(HeadConfig.Queue queue, JobSubmission asked, Optional<Lifetime.Bounds> bounds) {
        Duration most = queue.maxWalltime();
        if (asked.walltimeSeconds() == 0) {
            Duration length = bounds.map(there -> there.cut(most)).orElse(most);
            return new Walltime(length, most, cutNote(length, most));
        }
        Duration length = Duration.ofSeconds(asked.walltimeSeconds());
        if (length.compareTo(most) > 0) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "walltime " + Quantities.write(length) + " is over the limit of queue " + queue.name(),
                    "queue " + queue.name() + " allows up to " + Quantities.write(most));
        }
        if (bounds.isEmpty()) {
            return new Walltime(length, null, "");
        }
        Lifetime.Bounds there = bounds.get();
        if (length.compareTo(there.byLife()) > 0) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "walltime " + Quantities.write(length) + " is longer than its cluster lives: it has time for "
                            + Quantities.write(there.byLife()),
                    "give a shorter --time, or have the cluster's owner extend it: 'spillway cluster extend'");
        }
        String note = length.compareTo(there.byMoney()) > 0
                ? "its walltime of " + Quantities.write(length) + " is longer than the cluster's money lasts with the"
                        + " nodes that it has, " + Quantities.write(there.byMoney())
                        + ": it may never start, or be ended with the cluster"
                : "";
        return new Walltime(length, null, note);
    }

    private static String cutNote(Duration length, Duration most) {
        return length.compareTo(most) < 0
                ? "its walltime is " + Quantities.write(length) + " and not " + Quantities.write(most)
                        + ", the queue's: its cluster has time and money for no more"
                : "";
    }

    /** The same for a job that is there; empty when nothing was cut. */
    static String cutNote(JobSpec spec) {
        Duration usual = spec.need().usual();
        return usual == null ? "" : cutNote(spec.walltime(), usual);
    }
}
