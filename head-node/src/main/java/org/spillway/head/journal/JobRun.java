package org.spillway.head.journal;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Checksum;

/**
 * What has become of a job so far.
 *
 * @param attempt the current attempt, 0 before the first
 * @param node where the current attempt runs or ran; null before
 * @param staged the verified input in the site; null before
 * @param store staging store that holds it; empty when nothing is held
 * @param exitCode of the attempt that counts; null before its end
 * @param results what that attempt left in the site's staging space
 * @param home all results of this attempt lie verified at home, hidden; from here on no other attempt is made
 * @param published outputs that are in their places
 * @param ranAsUser whether the attempt ran with the user's own uid
 * @param cancelled the user wants it to end
 */
public record JobRun(
        int attempt,
        @Nullable String node,
        @Nullable Checksum staged,
        String store,
        @Nullable Integer exitCode,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        List<Result> results,
        boolean home,
        List<String> published,
        boolean ranAsUser,
        boolean cancelled) {
    public static final JobRun NONE =
            new JobRun(0, null, null, "", null, null, null, List.of(), false, List.of(), false, false);

    public JobRun {
        results = List.copyOf(results);
        published = List.copyOf(published);
    }

    /** @param key in the staging space; {@code checksum} null when the job did not make it */
    public record Result(String key, String path, @Nullable Checksum checksum) {}

    public JobRun withStaged(@Nullable Checksum checksum, String inStore) {
        return new JobRun(
                attempt, node, checksum, inStore, exitCode, startedAt, endedAt, results, home, published, ranAsUser,
                cancelled);
    }

    /** The next attempt, on this node. */
    public JobRun startedOn(String onNode) {
        return new JobRun(
                attempt + 1, onNode, staged, store, null, null, null, List.of(), false, published, false, cancelled);
    }

    /** Without a node, to wait for the next attempt. */
    public JobRun waiting() {
        return new JobRun(
                attempt, null, staged, store, null, null, null, List.of(), false, published, false, cancelled);
    }

    public JobRun ended(Instant started, Instant ended, int code, List<Result> left, String inStore, boolean asUser) {
        return new JobRun(
                attempt, node, staged, inStore, code, started, ended, left, false, published, asUser, cancelled);
    }

    public JobRun atHome() {
        return new JobRun(
                attempt, node, staged, store, exitCode, startedAt, endedAt, results, true, published, ranAsUser,
                cancelled);
    }

    public JobRun withPublished(List<String> paths) {
        return new JobRun(
                attempt, node, staged, store, exitCode, startedAt, endedAt, results, home, paths, ranAsUser, cancelled);
    }

    public JobRun withCancelled() {
        return new JobRun(
                attempt, node, staged, store, exitCode, startedAt, endedAt, results, home, published, ranAsUser, true);
    }
}
