package org.spillway.api;

import org.spillway.api.form.Bounds;
import org.spillway.api.form.Describes;
import org.spillway.api.form.Matches;
import org.spillway.api.form.Usual;

/** A version that the nodes of a category are to have. What is not said is as the configuration says. */
public record RolloutOrder(
        @Matches(
                value = "[a-z0-9-]{1,64}(:[A-Za-z0-9][A-Za-z0-9._-]{0,63}|@[0-9a-f]{8,64})?",
                allowed = "NAME, NAME:TAG, or NAME@ and at least 8 digits of a digest")
        @Describes("of the image store; a tag is looked up once")
        String version,

        @Usual("-1")
        @Bounds(min = -1, max = 1000)
        @Describes("nodes that have to pass before any other has it; -1 for as configured")
        int canary,

        @Usual
        @Matches(value = RolloutOrder.BATCH, allowed = RolloutOrder.BATCHES)
        @Describes("nodes that may be away at a time, a number or a share such as 10%; empty for as configured")
        String batch,

        @Usual("-1")
        @Bounds(min = -1, max = 604_800)
        @Describes("for so long a renewed node has to stay well; -1 for as configured")
        long soakSeconds,

        @Usual("-1")
        @Bounds(min = -1, max = 2_592_000)
        @Describes("after which a node whose jobs go on is named; 60 or more, or -1 for as configured")
        long withinSeconds,

        @Usual("-1")
        @Bounds(min = -1, max = 1000)
        @Describes("nodes that may fail in it; one more halts the rollout; -1 for as configured")
        int maxFailures) {
    /** A batch in words. */
    public static final String BATCH = "[1-9]\\d{0,3}|10000|[1-9]\\d?%|100%";

    public static final String BATCHES = "1 to 10000 nodes, or 1% to 100% of them";
}
