package org.spillway.director;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.spillway.director.wire.SiteDrift;
import org.spillway.director.wire.SiteDrift.Word;

/** Looks at roots of nodes that the head has asked for, one of each node at a time, and what the nodes say of them. In memory. */
final class DriftLooks {
    /** Longest answer that a node sends. */
    static final int MAX_BYTES = 1024 * 1024;

    private static final int MOST = 500;
    private static final Duration SILENT = Duration.ofMinutes(1);
    private static final Duration KEPT = Duration.ofMinutes(2);

    private final Map<String, Look> looks = new HashMap<>();
    private final Runnable changed;

    private record Look(String id, boolean whole, Instant at, SiteDrift said) {
        boolean isOver(Instant now) {
            return isEnded() ? now.isAfter(at.plus(KEPT)) : now.isAfter(at.plus(SILENT));
        }

        boolean isEnded() {
            return said.word() == Word.DONE || said.word() == Word.UNKNOWN;
        }
    }

    /** @param changed is told when a node has something to do */
    DriftLooks(Runnable changed) {
        this.changed = changed;
    }

    /**
     * The look as far as it is; the first time the node is asked for it.
     *
     * @param id drawn by who waits for it: the same again is the same look
     * @param now by the clock that never jumps
     */
    SiteDrift ask(String node, String id, boolean whole, Instant now) {
        synchronized (this) {
            Look look = looks.get(node);
            if (look != null && look.id().equals(id)) {
                return !look.isEnded() && look.isOver(now) ? SiteDrift.of(Word.SILENT) : look.said();
            }
            looks.values().removeIf(old -> old.isOver(now));
            look = looks.get(node);
            if ((look != null && !look.isEnded()) || looks.size() >= MOST) {
                return SiteDrift.of(Word.BUSY);
            }
            looks.put(node, new Look(id, whole, now, SiteDrift.of(Word.ASKED)));
        }
        changed.run();
        return SiteDrift.of(Word.ASKED);
    }

    /** The line of its orders that tells a node, with its end; empty where it is asked nothing. */
    synchronized String line(String node) {
        Look look = looks.get(node);
        return look != null && look.said().word() == Word.ASKED ? "drift " + look.id() + "\n" : "";
    }

    /** {@code whole} or {@code quick}; empty for a look that nobody waits for. */
    synchronized String how(String node, String id) {
        Look look = looks.get(node);
        return look == null || !look.id().equals(id) || look.isEnded() ? "" : look.whole() ? "whole" : "quick";
    }

    /** A node's word. @return false for one that nobody waits for */
    synchronized boolean heard(String node, String id, byte[] body, Instant now) {
        Look look = looks.get(node);
        if (look == null || !look.id().equals(id) || look.isEnded()) {
            return false;
        }
        looks.put(node, new Look(id, look.whole(), now, parsed(new String(body, StandardCharsets.ISO_8859_1))));
        return true;
    }

    /**
     * <pre>
     * running DONE ALL BYTES
     * done VERSION            and lines of what differs
     * unknown WHY
     * </pre>
     */
    private static SiteDrift parsed(String text) {
        int end = text.indexOf('\n');
        String first = end < 0 ? text : text.substring(0, end);
        String rest = end < 0 ? "" : text.substring(end + 1);
        String[] words = first.split(" ", 4);
        if (first.matches("running( [0-9]{1,15}){3}")) {
            return new SiteDrift(
                    Word.RUNNING, Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]), "", "");
        }
        if (first.matches("done [0-9a-f]{64}")) {
            return new SiteDrift(Word.DONE, 0, 0, 0, words[1], plain(rest));
        }
        return new SiteDrift(
                Word.UNKNOWN,
                0,
                0,
                0,
                "",
                first.startsWith("unknown ") ? plain(first.substring(8)) : "its answer cannot be read");
    }

    /** A node may be hostile: what it writes reaches an administrator's terminal. */
    private static String plain(String text) {
        return text.replaceAll("[^\\n\\x20-\\x7e]", "?");
    }
}
