package org.spillway.head.serving;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which connections there are, whose, and since when each of them waits for its peer. A new one always finds a place: the
 * place of the one that has kept the head waiting longest, of whoever has most. Time is an argument. Any thread.
 *
 * @param <K> a connection
 */
public final class ConnectionBook<K> {
    private final Bounds bounds;
    private final Map<K, Entry> entries = new LinkedHashMap<>();

    /**
     * Bounds of connections that are not trusted; each at least 1.
     *
     * @param most of all of them together
     * @param mostOfOne of one owner
     * @param times how long a peer may take
     */
    public record Bounds(int most, int mostOfOne, Times times) {}

    /**
     * Longest times of a peer that is not trusted.
     *
     * @param request from one answer, or the connection's beginning, to the end of the next request's headers
     * @param body for a request's body
     * @param answer until the peer has taken an answer
     */
    public record Times(Duration request, Duration body, Duration answer) {}

    /** The state of a connection. */
    public enum Phase {
        /** For a request, or the rest of its headers. */
        WAITING,
        /** A request's body is on its way. */
        READING,
        /** The head works: this is no fault of the peer. */
        ANSWERING,
        /** The answer is on its way. */
        WRITING
    }

    private record Entry(String owner, boolean trusted, Phase phase, long since) {
        boolean isFor(String other) {
            return !trusted && owner.equals(other);
        }
    }

    public ConnectionBook(Bounds bounds) {
        this.bounds = bounds;
    }

    /**
     * Notes a new one.
     *
     * @param owner of whom it is, as far as that is known
     * @param now in nanoseconds, only forward
     * @return to be closed
     */
    public synchronized List<K> opened(K connection, String owner, long now) {
        entries.put(connection, new Entry(owner, false, Phase.WAITING, now));
        return beyond(owner);
    }

    /**
     * Notes whose it is.
     *
     * @param trusted no bounds hold for it
     * @return to be closed
     */
    public synchronized List<K> owned(K connection, String owner, boolean trusted) {
        Entry known = entries.get(connection);
        if (known == null || (known.trusted == trusted && known.owner.equals(owner))) {
            return List.of();
        }
        entries.put(connection, new Entry(owner, trusted, known.phase, known.since));
        return beyond(owner);
    }

    /** Notes what happens on it; nothing for one that is closed. @param now in nanoseconds */
    public synchronized void is(K connection, Phase phase, long now) {
        entries.computeIfPresent(connection, (key, entry) -> new Entry(entry.owner, entry.trusted, phase, now));
    }

    public synchronized void closed(K connection) {
        entries.remove(connection);
    }

    /** Connections whose peers take too long. @param now in nanoseconds */
    public synchronized List<K> overdue(long now) {
        List<K> late = new ArrayList<>();
        entries.forEach((key, entry) -> {
            if (!entry.trusted && now - entry.since > patience(entry.phase)) {
                late.add(key);
            }
        });
        return late;
    }

    /** How many there are that are not trusted. */
    public synchronized int count() {
        return (int) entries.values().stream().filter(entry -> !entry.trusted).count();
    }

    private long patience(Phase phase) {
        return switch (phase) {
            case WAITING -> bounds.times.request.toNanos();
            case READING -> bounds.times.body.toNanos();
            case WRITING -> bounds.times.answer.toNanos();
            case ANSWERING -> Long.MAX_VALUE;
        };
    }

    private List<K> beyond(String owner) {
        List<K> gone = new ArrayList<>();
        int own = count(owner);
        if (own > bounds.mostOfOne) {
            slowest(owner).ifPresent(gone::add);
        }
        if (gone.isEmpty() && count() > bounds.most) {
            largest().flatMap(this::slowest).ifPresent(gone::add);
        }
        gone.forEach(entries::remove);
        return gone;
    }

    private int count(String owner) {
        return (int)
                entries.values().stream().filter(entry -> entry.isFor(owner)).count();
    }

    private Optional<String> largest() {
        Map<String, Integer> counts = new HashMap<>();
        entries.values().stream()
                .filter(entry -> !entry.trusted)
                .forEach(entry -> counts.merge(entry.owner, 1, Integer::sum));
        return counts.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    }

    /** The one that has done nothing for longest; one whose request is being worked at is the last to go. */
    private Optional<K> slowest(String owner) {
        return entries.entrySet().stream()
                .filter(one -> one.getValue().isFor(owner))
                .min(Comparator.comparing((Map.Entry<K, Entry> one) -> one.getValue().phase == Phase.ANSWERING)
                        .thenComparing(one -> one.getValue().phase)
                        .thenComparing(one -> one.getValue().since))
                .map(Map.Entry::getKey);
    }
}
