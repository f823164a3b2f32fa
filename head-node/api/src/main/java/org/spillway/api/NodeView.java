package org.spillway.api;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
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

        @Describes("the same as reason, for programs") CauseView cause,

        @Describes("digest of the version whose root file system its jobs have; empty for the machine's own")
        String version,

        @Describes("its kernel, where its jobs have a version; else empty")
        String kernel,

        @OneOf({"", "SAME", "DIFFERS", "REPAIRING", "UNREPAIRED", "UNKNOWN"})
        @Describes("whether that root is still the version, by its last looks; empty before the first")
        String drift,

        @Describes("what the last looks found") String driftText) {
    public NodeView {
        cause = cause == null ? CauseView.NONE : cause;
        jobs = List.copyOf(jobs);
        // An older head does not say it.
        category = category == null ? "" : category;
        overlays = overlays == null ? List.of() : List.copyOf(overlays);
        becomes = becomes == null ? "" : becomes;
        version = version == null ? "" : version;
        kernel = kernel == null ? "" : kernel;
        drift = drift == null ? "" : drift;
        driftText = driftText == null ? "" : driftText;
    }

    /** The same with those of its jobs that a caller may see. */
    public NodeView showing(Predicate<String> seen) {
        return new NodeView(
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
                jobs.stream().filter(seen).toList(),
                category,
                overlays,
                becomes,
                fixed,
                cause,
                version,
                kernel,
                drift,
                driftText);
    }

    /** A node by the names of its parts; those that {@code made} leaves alone are as {@link Draft} has them. */
    public static NodeView of(Consumer<Draft> made) {
        Draft draft = new Draft();
        made.accept(draft);
        return draft.made();
    }

    /** Parts of one that is being made. */
    public static final class Draft {
        public String id = "";
        public String site = "";
        public String role = "node";
        public NodeState state = NodeState.REQUESTED;
        public String offering = "";
        public String instance = "";
        public String address = "";
        public Instant since = Instant.EPOCH;
        public Money pricePerHour = Money.ZERO;
        public String reason = "";
        public String image = "";
        public boolean keep;
        public List<String> jobs = List.of();
        public String category = "";
        public List<String> overlays = List.of();
        public String becomes = "";
        public boolean fixed;
        public CauseView cause = CauseView.NONE;
        public String version = "";
        public String kernel = "";
        public String drift = "";
        public String driftText = "";

        private Draft() {}

        private NodeView made() {
            return new NodeView(
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
                    category,
                    overlays,
                    becomes,
                    fixed,
                    cause,
                    version,
                    kernel,
                    drift,
                    driftText);
        }
    }
}
