package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;

/** The version of a category's nodes, and its last rollout. */
public record RolloutView(
        String category,

        @Describes("version that the configuration names, as NAME@DIGEST")
        String named,

        @Describes("that nodes have when no rollout is under way")
        String settled,

        @Describes("to which they can be rolled back; empty for none")
        String former,

        @Describes("the version that nodes are given now has been made a file system")
        boolean made,

        @Describes("the last; null where there was none yet") @Nullable
        RolloutProgress rollout,

        @Describes("the last 50, oldest first") List<RolloutStepView> steps) {
    public RolloutView {
        steps = List.copyOf(steps);
    }

    public record RolloutProgress(
            @Describes("CANARY, BATCHES or BACK while it is under way; DONE or UNDONE")
            @OneOf({"CANARY", "BATCHES", "BACK", "DONE", "UNDONE"})
            String phase,

            @Describes("no further nodes are given the version")
            boolean paused,

            String from,

            String to,

            @Describes("why it is in its phase") CauseView cause,

            @Describes("when it came to its phase") Instant since,

            @Describes("the last that was begun; the canary is 1")
            int batch,

            @Describes("how it goes, such as canary 1, batch 10%, soak 5m, within 1h, at most 0 failures")
            String terms,

            @Describes("nodes that failed in the version") int failed,

            @Describes("that were given the version, in that order; none when it is over")
            List<RolloutNodeView> nodes) {
        public RolloutProgress {
            nodes = List.copyOf(nodes);
        }
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
