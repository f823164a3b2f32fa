package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;
import org.spillway.policy.Money;

/** The prospect of a submission. Nothing was changed. */
public record CheckView(
        String queue,

        @Describes("that its inputs are") int files,

        @Describes("of all of them") long bytes,

        @Describes("each with what was found") List<FoundInput> inputs,

        @Describes("where it would go now; empty when nothing fits")
        String site,

        @Describes("what would be bought or used for each node, zone/type/market")
        String offering,

        @Describes("how long its input takes to the site; 0 for none")
        long stagingSeconds,

        @Describes("of all its nodes") Money pricePerHour,

        @Describes("of its whole walltime, and what bringing its results home is expected to cost")
        Money costAtMost,

        @Describes("null when nothing can be said") @Nullable
        Instant expectedStart,

        String sentence,

        @Describes("what its user should know") List<String> notes) {
    public CheckView {
        inputs = List.copyOf(inputs);
        notes = List.copyOf(notes);
    }

    /** The finds of one {@code --in}. */
    public record FoundInput(String pattern, String target, int files, long bytes) {}
}
