package org.spillway.head.serving;

import java.util.HashMap;
import java.util.Map;

/**
 * Shares of users in what requests hold: how many are under way, from their headers to the last byte of their answer, and how many
 * bytes of bodies and answers the head keeps for them. Any thread.
 */
public final class RequestShares {
    private final Bounds bounds;
    private final Map<Integer, Held> byUser = new HashMap<>();
    private long bytesOfAll;

    /**
     * Bounds, each at least 1.
     *
     * @param requests of one user
     * @param bytes of one user's, at which no more of its requests begin; those under way may reach it and go beyond by one
     *     answer each
     * @param bytesOfAll of all users', the same
     */
    public record Bounds(int requests, long bytes, long bytesOfAll) {}

    /** Whether one more may begin. */
    public enum Verdict {
        BEGUN,
        /** Too many of this user are under way. */
        TOO_MANY,
        /** This user's hold too many bytes. */
        TOO_LARGE,
        /** All users' hold too many bytes. */
        FULL
    }

    private record Held(int requests, long bytes) {}

    public RequestShares(Bounds bounds) {
        this.bounds = bounds;
    }

    /** After BEGUN {@link #end} has to follow. @param bytes of its body, as announced */
    public synchronized Verdict begin(int uid, long bytes) {
        Held held = byUser.getOrDefault(uid, new Held(0, 0));
        if (held.requests >= bounds.requests) {
            return Verdict.TOO_MANY;
        }
        if (held.requests > 0 && held.bytes + bytes > bounds.bytes) {
            return Verdict.TOO_LARGE;
        }
        if (bytesOfAll > 0 && bytesOfAll + bytes > bounds.bytesOfAll) {
            return Verdict.FULL;
        }
        byUser.put(uid, new Held(held.requests + 1, held.bytes + bytes));
        bytesOfAll += bytes;
        return Verdict.BEGUN;
    }

    /** More is held for one that is under way. */
    public synchronized void add(int uid, long bytes) {
        byUser.computeIfPresent(uid, (key, held) -> new Held(held.requests, held.bytes + bytes));
        bytesOfAll += bytes;
    }

    /** A request is over. @param bytes all that was held for it */
    public synchronized void end(int uid, long bytes) {
        byUser.computeIfPresent(
                uid, (key, held) -> held.requests == 1 ? null : new Held(held.requests - 1, held.bytes - bytes));
        bytesOfAll -= bytes;
    }
}
