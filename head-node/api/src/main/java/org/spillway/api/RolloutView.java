package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;

/** The version of a category's nodes, and its last rollout. */
public record RolloutView(
        String category,

        @Describes("SETTLED where there was none yet; CANARY, BATCHES, BACK while it is under way; DONE or UNDONE")
        @OneOf({"SETTLED", "CANARY", "BATCHES", "BACK", "DONE", "UNDONE"})
        String state,

        @Describes("no further nodes are given the version") boolean paused,

        @Describes("that the configuration names, as NAME@DIGEST")
        String named,

        @Describes("that nodes have when no rollout is under way")
        String settled,

        @Describes("to which they can be rolled back; empty for none")
        String former,

        @Describes("empty where there was no rollout, as are all fields below")
        String from,

        String to,

        @Describes("why it is in its state") CauseView cause,

        @Nullable Instant begun,

        @Describes("when it came to its state") @Nullable Instant since,

        @Describes("the last that was begun; the canary is 1")
        int batch,

        @Describes("how it goes, such as canary 1, batch 10%, soak 5m, within 1h, at most 0 failures")
        String terms,

        @Describes("nodes that failed in the version") int failed,

        @Describes("the version's file system has been made")
        boolean made,

        @Describes("that were given the version, in that order; none when it is over")
        List<RolloutNodeView> nodes,

        @Describes("the last 50, oldest first") List<RolloutStepView> steps) {
    public RolloutView {
        nodes = List.copyOf(nodes);
        steps = List.copyOf(steps);
    }

    public record RolloutNodeView(
            String node,

            @Describes("0 for one that came up with the version")
            int batch,

            @OneOf({"TURNING", "SOAKING", "PASSED", "FAILED", "BACK"})
            String stage,

            @Describes("when it came to its stage") Instant since,

            @Describes("its jobs have kept the rollout waiting for longer than it was told")
            boolean heldUp,

            @Describes("why it failed") CauseView cause) {}

    public record RolloutStepView(
            Instant at, @Describes("such as BATCH_2") String state, String text) {}
}
