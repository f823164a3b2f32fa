package org.spillway.director;

import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Report.Written;

/**
 * The last bytes that running jobs wrote, in memory: what is here is for people who watch, the whole comes home with
 * the results. Bounded for each stream and in all; the stream that was silent for longest goes first.
 */
final class LogShelf {
    /** Longest piece that a node sends. */
    static final int PIECE_BYTES = 64 * 1024;
    /** Kept of a stream: the head may be late for it by a few pieces. */
    static final int STREAM_BYTES = 3 * PIECE_BYTES;
    /** A director's heap is small; logs may have an eighth of it. */
    private static final long MAX_BYTES =
            Math.min(64L * 1024 * 1024, Runtime.getRuntime().maxMemory() / 8);

    private final long maxBytes;
    /** In the order of the latest write. */
    private final Map<Stream, Tail> tails = new LinkedHashMap<>();

    private long bytes;

    /** @param name {@code stdout} or {@code stderr} */
    record Stream(SiteState.Task task, String name) {}

    /** Bytes {@code from} (included) to {@code end} of a stream. */
    record Piece(long from, long end, byte[] bytes) {}

    private record Tail(long end, byte[] bytes) {
        long from() {
            return end - bytes.length;
        }
    }

    LogShelf() {
        this(MAX_BYTES);
    }

    LogShelf(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** A piece again, or one that overlaps what is known, adds only what is new; after a gap the rest is forgotten. */
    synchronized void add(Stream stream, long from, byte[] piece) {
        Tail before = tails.remove(stream);
        Tail after = grown(before, from, piece);
        bytes += after.bytes().length - (before == null ? 0 : before.bytes().length);
        tails.put(stream, after);
        Iterator<Tail> oldest = tails.values().iterator();
        while (bytes > maxBytes) {
            bytes -= oldest.next().bytes().length;
            oldest.remove();
        }
    }

    private static Tail grown(@Nullable Tail before, long from, byte[] piece) {
        long end = from + piece.length;
        if (before == null || from > before.end()) {
            return new Tail(end, last(piece));
        }
        if (end <= before.end()) {
            return before;
        }
        int fresh = (int) (end - before.end());
        byte[] whole = Arrays.copyOf(before.bytes(), before.bytes().length + fresh);
        System.arraycopy(piece, piece.length - fresh, whole, before.bytes().length, fresh);
        return new Tail(end, last(whole));
    }

    private static byte[] last(byte[] all) {
        return all.length <= STREAM_BYTES ? all : Arrays.copyOfRange(all, all.length - STREAM_BYTES, all.length);
    }

    /** The log's piece behind {@code after}, from the oldest byte here when that is later; empty when nothing came. */
    synchronized Optional<Piece> after(Stream stream, long after) {
        Tail tail = tails.get(stream);
        if (tail == null) {
            return Optional.empty();
        }
        long from = Math.clamp(after, tail.from(), tail.end());
        int skipped = (int) (from - tail.from());
        return Optional.of(new Piece(from, tail.end(), Arrays.copyOfRange(tail.bytes(), skipped, tail.bytes().length)));
    }

    /** How much of a task's streams came here; null for nothing. */
    synchronized @Nullable Written written(SiteState.Task task) {
        Tail stdout = tails.get(new Stream(task, "stdout"));
        Tail stderr = tails.get(new Stream(task, "stderr"));
        return stdout == null && stderr == null
                ? null
                : new Written(stdout == null ? 0 : stdout.end(), stderr == null ? 0 : stderr.end());
    }

    synchronized void retain(Set<SiteState.Task> tasks) {
        tails.entrySet().removeIf(entry -> {
            boolean gone = !tasks.contains(entry.getKey().task());
            bytes -= gone ? entry.getValue().bytes().length : 0;
            return gone;
        });
    }
}
