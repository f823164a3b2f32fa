package org.spillway.director.wire;

import java.util.List;

/**
 * How far an order of {@link PullOrder} has come.
 *
 * @param ended whether each of its files has come, or will not
 * @param files that have come
 * @param bytes that have come, of files that have not come whole as well
 * @param from place in the order of the first of {@code results}, as it was asked for
 * @param results one after the other, as far as they are known and as many as one answer takes
 */
public record PullState(boolean ended, int files, long bytes, int from, List<Result> results) {
    public PullState {
        results = List.copyOf(results);
    }

    /**
     * The end of one file.
     *
     * @param fault a name of {@code org.spillway.stage.pull.PullFault}; empty for one that has come
     * @param detail of the fault
     * @param modifiedSeconds since 1970; 0 when nobody knows
     * @param pieces digests of its pieces in Base64
     * @param kept nothing of it had to come
     * @param changed another file lay there before
     */
    public record Result(
            String fault,
            String detail,
            long bytes,
            long modifiedSeconds,
            String pieces,
            boolean kept,
            boolean changed) {}
}
