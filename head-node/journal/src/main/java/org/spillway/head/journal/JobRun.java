package org.spillway.head.journal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.stage.Checksum;

/**
 * A job's run so far.
 *
 * @param attempt the current attempt, 0 before the first
 * @param site that it is bound to; empty before. It may change until a node has it
 * @param ranks the nodes of the current attempt in the order of their ranks; empty before
 * @param staged its input in the site's staging space; null before
 * @param home all results of this attempt lie verified at home, hidden; from here on no other attempt is made
 * @param published what was put in its places; null before
 * @param cancelled the user wants it to end
 * @param foreign by which a workload manager of its own knows it; null for a job that was given to the head, and in what
 *     releases have journalled that knew no others
 * @param homeward how the way home of this attempt's results goes since it first failed; null before
 * @param reclaimed attempts that ended as their nodes were taken back; null for none, and in what releases have journalled
 *     that heard no notices
 */
public record JobRun(
        int attempt,
        String site,
        List<Rank> ranks,
        @Nullable Staged staged,
        boolean home,
        @Nullable Published published,
        boolean cancelled,
        @Nullable Foreign foreign,
        @Nullable Homeward homeward,
        @Nullable Reclaimed reclaimed) {
    public static final JobRun NONE = new JobRun(0, "", List.of(), null, false, null, false, null, null, null);

    public JobRun {
        ranks = List.copyOf(ranks);
    }

    /**
     * The manager's name of the job, and which of its runs the current attempt is. A run that was broken off and the
     * next one may have the same nodes, and a head that was killed in between must not publish the one as the other: so
     * it is written down with the attempt.
     *
     * @param number the manager's id of it, digits
     * @param restarts of the run that the current attempt is; 0 before the first
     * @param since when that run began, by the manager: one that was killed may count the next run like the one that it
     *     has forgotten; null before the first, and in what releases have journalled that did not ask
     */
    public record Foreign(
            String number, int restarts, @Nullable Instant since) {}

    /**
     * @param store staging space that holds it
     * @param files that were found
     * @param bundle null when there was nothing to stage
     * @param listing digest of what these files were (paths, names, sizes, times), by which another job sees that it has
     *     the same; null when there was nothing, and in what releases have journalled that knew none
     * @param sentBytes that went over the link for it: the region had the rest; 0 in what releases have journalled that
     *     did not count
     * @param image that it runs in, by the digest that it had when it was fetched; null for none, and in what releases have
     *     journalled that knew no images
     */
    public record Staged(
            String store,
            int files,
            @Nullable Checksum bundle,
            @Nullable String listing,
            long sentBytes,
            @Nullable String image) {
        /** Of files that nobody else is known to have. */
        public Staged(String store, int files, @Nullable Checksum bundle) {
            this(store, files, bundle, null, 0, null);
        }
    }

    /**
     * A node's part of the current attempt.
     *
     * @param end how it ended; null while it runs or is about to
     * @param lost its node is no more, and nothing more is heard of it
     * @param synced what has come home while it ran; null for nothing, and in what earlier releases have journalled
     */
    public record Rank(
            String node,
            @Nullable End end,
            boolean lost,
            @Nullable Synced synced) {
        /** Of which nothing has come home yet. */
        public Rank(String node, @Nullable End end, boolean lost) {
            this(node, end, lost, null);
        }

        public boolean isOver() {
            return end != null || lost;
        }
    }

    /**
     * Outputs that came home while their job ran.
     *
     * @param round the last of the node's rounds, by its own counting
     * @param at when that was dealt with
     * @param files that it brought
     * @param bytes of these
     * @param allBytes of all rounds, as they crossed the link
     * @param said why not all of it is in its place; empty when it is
     * @param again whether what was in it is asked for once more
     */
    public record Synced(int round, Instant at, int files, long bytes, long allBytes, String said, boolean again) {}

    /**
     * @param started null when the script never started there
     * @param cause why it was stopped or refused
     * @param results what it left in the staging space {@code store}; null for nothing
     * @param inputBytes of its input that came to its node for it, and were not kept there from another job; null where
     *     nobody has said it, and in what releases have journalled that did not ask
     */
    public record End(
            @Nullable Instant started,
            Instant ended,
            int exitCode,
            Cause cause,
            boolean asUser,
            String store,
            @Nullable Checksum results,
            @Nullable Long inputBytes) {
        /** Of whose input nobody has said anything. */
        public static End of(
                @Nullable Instant started,
                Instant ended,
                int exitCode,
                Cause cause,
                boolean asUser,
                String store,
                @Nullable Checksum results) {
            return new End(started, ended, exitCode, cause, asUser, store, results, null);
        }

        /** The refusal of a node that would not run its part; empty for any other end. */
        public Optional<JobCause.NodeRefused> refusal() {
            return cause instanceof JobCause.NodeRefused refused ? Optional.of(refused) : Optional.empty();
        }
    }

    /**
     * @param missing patterns of outputs of which there was nothing
     * @param unplaced outputs that are not in their places, or not whole; none in what releases have journalled that put
     *     all there or nothing
     * @param kept tar files at home that hold the results as long as some are unplaced
     */
    public record Published(
            List<String> missing,
            int files,
            long bytes,
            @Nullable List<Unplaced> unplaced,
            @Nullable List<String> kept) {
        public Published {
            missing = List.copyOf(missing);
            unplaced = unplaced == null ? List.of() : List.copyOf(unplaced);
            kept = kept == null ? List.of() : List.copyOf(kept);
        }

        /** All that there was is in its place. */
        public Published(List<String> missing, int files, long bytes) {
            this(missing, files, bytes, List.of(), List.of());
        }

        @Override
        public List<Unplaced> unplaced() {
            return unplaced == null ? List.of() : unplaced;
        }

        @Override
        public List<String> kept() {
            return kept == null ? List.of() : kept;
        }
    }

    /**
     * An output that is not in its place, or not whole.
     *
     * @param said path and reason, of the first of its files
     */
    public record Unplaced(String pattern, String destination, String said) {
        public Cause cause() {
            return new JobCause.OutputUnplaced(pattern, destination, said);
        }
    }

    /**
     * The way home of results since its first failure; with the copy home, and with the last result in its place, it ends.
     *
     * @param failingSince when that was, whatever heads have been restarted since
     * @param unplaced outputs that could not be put in their places when it was last tried; empty before all is at home
     * @param given up by their user: no further try
     */
    public record Homeward(Instant failingSince, List<Unplaced> unplaced, boolean givenUp) {
        public Homeward {
            unplaced = List.copyOf(unplaced);
        }
    }

    public List<String> nodes() {
        return ranks.stream().map(Rank::node).toList();
    }

    public boolean has(String node) {
        return ranks.stream().anyMatch(rank -> rank.node.equals(node));
    }

    /** Every part of the attempt has ended, or can never be heard of again. */
    public boolean isOver() {
        return !ranks.isEmpty() && ranks.stream().allMatch(Rank::isOver);
    }

    public boolean isLost() {
        return ranks.stream().anyMatch(rank -> rank.end == null && rank.lost);
    }

    /** A part has failed or is lost, or the user wants it: what still runs of it is stopped. */
    public boolean isStopping() {
        return cancelled || ranks.stream().anyMatch(rank -> rank.lost || (rank.end != null && rank.end.exitCode != 0));
    }

    /** Of the part that failed first, else 0; null before the end of all. */
    public @Nullable Integer exitCode() {
        if (ranks.isEmpty() || !ranks.stream().allMatch(rank -> rank.end != null)) {
            return null;
        }
        return firstFailure().map(End::exitCode).orElse(0);
    }

    public Optional<End> firstFailure() {
        return ends().stream().filter(end -> end.exitCode != 0).min(Comparator.comparing(End::ended));
    }

    public @Nullable Instant startedAt() {
        return ends().stream()
                .map(End::started)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    /** When the last part ended; null before all have. */
    public @Nullable Instant endedAt() {
        return isOver()
                ? ends().stream().map(End::ended).max(Comparator.naturalOrder()).orElse(null)
                : null;
    }

    public boolean ranAsUser() {
        return ends().stream().anyMatch(End::asUser);
    }

    private List<End> ends() {
        List<End> ends = new ArrayList<>();
        for (Rank rank : ranks) {
            if (rank.end != null) {
                ends.add(rank.end);
            }
        }
        return ends;
    }

    /** Bound to a site, where nothing of it is staged yet. */
    public JobRun at(String newSite) {
        Reclaimed elsewhere = reclaimed == null || newSite.equals(site) ? reclaimed : reclaimed.leaving(newSite);
        return new JobRun(attempt, newSite, List.of(), null, false, published, cancelled, foreign, null, elsewhere);
    }

    public JobRun withStaged(@Nullable Staged now) {
        return new JobRun(attempt, site, ranks, now, home, published, cancelled, foreign, homeward, reclaimed);
    }

    /**
     * The next attempt, on these nodes in the order of their ranks.
     *
     * @param before the number of the attempt before it, as {@code AttemptNumbers} has it
     */
    public JobRun startedOn(List<String> nodes, int before) {
        List<Rank> fresh =
                nodes.stream().map(node -> new Rank(node, null, false)).toList();
        return new JobRun(before + 1, site, fresh, staged, false, published, cancelled, foreign, null, reclaimed);
    }

    /** Without nodes, to wait for the next attempt. */
    public JobRun waiting() {
        return new JobRun(attempt, site, List.of(), staged, false, published, cancelled, foreign, null, reclaimed);
    }

    /** A known end of a node's part stays. */
    public JobRun ended(String node, End end) {
        return with(node, rank -> rank.isOver() ? rank : new Rank(node, end, false, rank.synced));
    }

    public JobRun lost(String node) {
        return with(node, rank -> rank.isOver() ? rank : new Rank(node, null, true, rank.synced));
    }

    /** Another round of that node's outputs is at home. */
    public JobRun synced(String node, Synced now) {
        return with(node, rank -> new Rank(node, rank.end, rank.lost, now));
    }

    private JobRun with(String node, UnaryOperator<Rank> change) {
        List<Rank> changed = ranks.stream()
                .map(rank -> rank.node.equals(node) ? change.apply(rank) : rank)
                .toList();
        return new JobRun(attempt, site, changed, staged, home, published, cancelled, foreign, homeward, reclaimed);
    }

    public JobRun atHome() {
        return new JobRun(attempt, site, ranks, staged, true, published, cancelled, foreign, null, reclaimed);
    }

    public JobRun withPublished(Published what) {
        return new JobRun(attempt, site, ranks, staged, home, what, cancelled, foreign, null, reclaimed);
    }

    public JobRun withHomeward(Homeward now) {
        return new JobRun(attempt, site, ranks, staged, home, published, cancelled, foreign, now, reclaimed);
    }

    /** As {@link #withCancelled}, and its results are not brought to their places any more. */
    public JobRun withGivenUp(Instant now) {
        Homeward before = homeward;
        return withCancelled()
                .withHomeward(
                        before == null
                                ? new Homeward(now, List.of(), true)
                                : new Homeward(before.failingSince, before.unplaced, true));
    }

    public JobRun withCancelled() {
        return new JobRun(attempt, site, ranks, staged, home, published, true, foreign, homeward, reclaimed);
    }

    /** As a workload manager knows it. */
    public JobRun withForeign(Foreign known) {
        return new JobRun(attempt, site, ranks, staged, home, published, cancelled, known, homeward, reclaimed);
    }

    /**
     * Over, with the exit code of the whole in each part: the parts of a foreign job do not know it. A part that was lost
     * is over then too, without results.
     *
     * @param why it ended; none for no reason of its own
     */
    public JobRun closed(int exitCode, Cause why, Instant now) {
        List<Rank> all = ranks.stream()
                .map(rank -> {
                    End end = rank.end;
                    End with = end == null
                            ? End.of(null, now, exitCode, why.or(JobFact.NODE_LOST), false, "", null)
                            : new End(
                                    end.started,
                                    end.ended,
                                    exitCode,
                                    why.or(end.cause),
                                    end.asUser,
                                    end.store,
                                    end.results,
                                    end.inputBytes);
                    return new Rank(rank.node, with, rank.lost, rank.synced);
                })
                .toList();
        return new JobRun(attempt, site, all, staged, home, published, cancelled, foreign, homeward, reclaimed);
    }

    /** The first node of it that was taken back, and was told to end what ran there; empty for none. */
    public Optional<String> takenBack() {
        return ranks.stream()
                .filter(rank -> rank.end != null && rank.end.cause instanceof JobCause.TakenBack)
                .map(Rank::node)
                .findFirst();
    }

    /** Attempts that were taken back; 0 for none. */
    public int timesTakenBack() {
        return reclaimed == null ? 0 : reclaimed.times();
    }

    /** Time on nodes that were taken back, whose work is in what was left there. */
    public long savedMillis() {
        return reclaimed == null ? 0 : reclaimed.savedMillis();
    }

    public JobRun withReclaimed(Reclaimed now) {
        return new JobRun(attempt, site, ranks, staged, home, published, cancelled, foreign, homeward, now);
    }

    /** The same, with what earlier attempts left in that staging space and in no other. */
    public JobRun heldIn(@Nullable String store) {
        return reclaimed == null || reclaimed.store().equals(store) ? this : withReclaimed(reclaimed.withoutLeft());
    }

    /** Whether a part has left anything to bring home. */
    public boolean hasResults() {
        return ranks.stream().anyMatch(rank -> rank.end != null && rank.end.results != null);
    }

    /** The refusal of the first node that would not run its part; empty when none has. */
    public Optional<JobCause.NodeRefused> refusal() {
        return ends().stream().flatMap(end -> end.refusal().stream()).findFirst();
    }
}
