package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;
import org.spillway.policy.Money;

/** All that is known about one job. */
public record JobDetail(
        JobView job,

        @Describes("each state that it entered, oldest first")
        List<Moment> timeline,

        @Describes("when what happened, for a breakdown of its time")
        Timings timings,

        @Describes("its latest attempt, node by node") List<RankView> ranks,

        List<TransferView> transfers,

        @Describes("as they were asked for, with what became of them")
        List<OutputView> outputs,

        @Describes("what its user should know, such as an output that the job did not make")
        List<String> warnings,

        @Describes("outputs that came home while it ran; null when it asked for none") @Nullable
        SyncView sync,

        @Describes("what its data cost to move, and what was there already; null for who may not know") @Nullable
        DataView data,

        @Describes("the image that it runs in, by its digest as soon as that is known; empty for none, for who may not"
                + " know, and from a head that knows no images")
        @Nullable
        String container) {
    public JobDetail {
        timeline = List.copyOf(timeline);
        ranks = List.copyOf(ranks);
        transfers = List.copyOf(transfers);
        outputs = List.copyOf(outputs);
        warnings = List.copyOf(warnings);
        container = container == null ? "" : container;
    }

    public record DataView(
            @Describes("of its input, over the link to its site")
            long sentBytes,

            @Describes("of its input, that its site had before")
            long savedBytes,

            @Describes("of its input, to the nodes of its latest attempt, where anybody counted")
            long nodeBytes,

            @Describes("of its input, that these nodes had before")
            long nodeSavedBytes,

            @Describes("of its outputs, home: while it ran and at its end")
            long homeBytes,

            @Describes("of nodes that their provider took back; null when none was") @Nullable
            NoticeView notices) {}

    public record NoticeView(
            @Describes("attempts that ended by it") int times,

            @Describes("of work on these nodes that is in the checkpoint for the next attempt, all nodes together")
            long savedSeconds,

            @Describes("price of that work") Money saved,

            @Describes("the checkpoint is at home, too") boolean home,

            @Describes("whose region has the checkpoint; empty for none")
            String site) {}

    public record SyncView(
            @Describes("from one time to the next, at least")
            long everySeconds,

            @Describes("the last time; null before") @Nullable
            Instant lastAt,

            @Describes("that it brought, of all nodes together")
            int files,

            @Describes("of these") long bytes,

            @Describes("of all times, as they crossed the link")
            long allBytes,

            @Describes("why not all of it is in its place; empty when it is")
            String message) {}

    /** The job entered {@code state} at {@code at}, because of {@code reason}. */
    public record Moment(JobState state, Instant at, String reason) {}

    /** Null for what has not happened. */
    public record Timings(
            Instant submitted,

            @Describes("when it was bound to a site") @Nullable
            Instant stageInBegun,

            @Nullable Instant stagedIn,

            @Describes("when the last of its nodes was asked of the provider; before submitted for one that was there")
            @Nullable
            Instant nodeAsked,

            @Describes("when the last of its nodes was ready") @Nullable
            Instant nodeReady,

            @Describes("when it was given to its nodes") @Nullable
            Instant allocated,

            @Nullable Instant started,

            @Nullable Instant ended,

            @Describes("when its results were in their places") @Nullable
            Instant stagedOut) {}

    public record RankView(
            int rank,

            String node,

            @Describes("of the node, for those who debug a gang")
            String address,

            @Nullable Instant startedAt,

            @Nullable Instant endedAt,

            @Nullable Integer exitCode,

            boolean lost,

            String message,

            @Describes(
                    "bytes of the input that came to its node for it, without what that kept from another job; null before it ended, and where nobody counted")
            @Nullable
            Long inputBytes) {}

    public record TransferView(
            @OneOf({"in", "out"}) String direction,

            @Describes("for a person") String what,

            TransferState state,

            @Describes("so far; equal to totalBytes at the end")
            long movedBytes,

            @Describes("0 before it is known") long totalBytes,

            @Describes("hex; empty until verified") String sha256,

            @Describes("0 where nobody has counted") int files,

            @Describes("just now; 0 where nothing moves") long bytesPerSecond,

            @Describes("at that rate; null when it is not known") @Nullable
            Long secondsLeft) {
        /** Of which nothing moves. */
        public static TransferView still(
                String direction, String what, TransferState state, long moved, long total, String sha256, int files) {
            return new TransferView(direction, what, state, moved, total, sha256, files, 0, null);
        }

        /** The same, with its rate. */
        public TransferView at(long rate) {
            Long left = rate <= 0 || totalBytes < movedBytes ? null : Math.ceilDiv(totalBytes - movedBytes, rate);
            return new TransferView(direction, what, state, movedBytes, totalBytes, sha256, files, rate, left);
        }
    }

    public record OutputView(
            String pattern,

            String destination,

            boolean strict,

            @OneOf({"expected", "published", "missing", "failed", "unplaced"})
            String state) {}
}
