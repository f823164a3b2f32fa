package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.spillway.policy.Money;

/**
 * A node or a director. Texts are empty where there is nothing to say.
 *
 * @param role {@code node} or {@code director}
 * @param offering what was bought, as {@code zone/type/market}
 * @param instance the provider's id
 * @param since when it entered its state
 * @param pricePerHour while it exists
 * @param reason why it is in its state
 * @param image digest of the image that it verified; empty before
 * @param keep it is not released by the policy
 * @param jobs that it runs now
 * @param category that it is of, or becomes while it is {@code REPURPOSING}; empty for none
 * @param overlays that it has joined, or joins
 * @param becomes what it is made when nothing runs on it any more, as {@code of category ml}; empty for nothing
 * @param fixed an administrator made it what it is, and the scaler makes nothing else of it
 * @param cause the same as {@code reason}, for programs
 */
public record NodeView(
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
        List<String> jobs,
        String category,
        List<String> overlays,
        String becomes,
        boolean fixed,
        CauseView cause) {
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
