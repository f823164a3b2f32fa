package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;
import org.spillway.policy.Money;

/** A node or a director. Texts are empty where there is nothing to say. */
public record NodeView(
        String id,

        String site,

        @OneOf({"node", "director"}) String role,

        NodeState state,

        @Describes("what was bought, as zone/type/market") String offering,

        @Describes("the provider's id") String instance,

        String address,

        @Describes("when it entered its state") Instant since,

        @Describes("while it exists") Money pricePerHour,

        @Describes("why it is in its state") String reason,

        @Describes("digest of the image that it verified; empty before")
        String image,

        @Describes("it is not released by the policy") boolean keep,

        @Describes("that it runs now") List<String> jobs,

        @Describes("that it is of, or becomes while it is REPURPOSING; empty for none")
        String category,

        @Describes("that it has joined, or joins") List<String> overlays,

        @Describes("what it is made when nothing runs on it any more, as of category ml; empty for nothing")
        String becomes,

        @Describes("an administrator made it what it is, and the scaler makes nothing else of it")
        boolean fixed,

        @Describes("the same as reason, for programs") CauseView cause) {
    public NodeView {
        cause = cause == null ? CauseView.NONE : cause;
        jobs = List.copyOf(jobs);
        // An older head does not say it.
        category = category == null ? "" : category;
        overlays = overlays == null ? List.of() : List.copyOf(overlays);
        becomes = becomes == null ? "" : becomes;
    }

    /** Of no category, and without overlays. */
    public NodeView(
            String id,
            String site,
            String role,
            NodeState state,
            String offering,
            String instance,
            String address,
            Instant since,
            Money pricePerHour,
            String reason,
            String image,
            boolean keep,
            List<String> jobs) {
        this(
                id,
                site,
                role,
                state,
                offering,
                instance,
                address,
                since,
                pricePerHour,
                reason,
                image,
                keep,
                jobs,
                "",
                List.of(),
                "",
                false,
                CauseView.NONE);
    }
}
