package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Money;

/**
 * The prospect of a submission. Nothing was changed.
 *
 * @param files that its inputs are, with {@code bytes} in all
 * @param inputs each with what was found
 * @param site where it would go now; empty when nothing fits
 * @param offering what would be bought or used for each node, {@code zone/type/market}
 * @param stagingSeconds how long its input takes to the site; 0 for none
 * @param pricePerHour of all its nodes
 * @param costAtMost of its whole walltime, and what bringing its results home is expected to cost
 * @param expectedStart null when nothing can be said
 * @param notes what its user should know
 */
public record CheckView(
        String queue,
        int files,
        long bytes,
        List<FoundInput> inputs,
        String site,
        String offering,
        long stagingSeconds,
        Money pricePerHour,
        Money costAtMost,
        @Nullable Instant expectedStart,
        String sentence,
        List<String> notes) {
    public CheckView {
        inputs = List.copyOf(inputs);
        notes = List.copyOf(notes);
    }

    /** The finds of one {@code --in}. */
    public record FoundInput(String pattern, String target, int files, long bytes) {}
}
