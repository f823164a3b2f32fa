package org.spillway.director.session;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where the head's end of a session meets the node's. Nothing is kept of what passes: both ends number their bytes, and come
 * again when a connection or this process is gone. A node reaches its own sessions only.
 */
public final class Sessions {
    /** Of a node that a hostile one may not exceed, in whatever state. */
    private static final int MOST_OF_NODE = 256;

    private static final int MOST = 1024;
    private static final int PIECE_BYTES = 32 * 1024;
    /** Between the two answers that say that both ends are there. */
    private static final Duration MEETING = Duration.ofSeconds(10);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Key, Place> places = new LinkedHashMap<>();
    private final Runnable news;

    /** @param news called when what nodes are told may be another */
    public Sessions(Runnable news) {
        this.news = news;
    }

    /** Which end of a session. */
    public enum Side {
        HEAD,
        NODE
    }

    /**
     * Facts for a node of a session that waits for it.
     *
     * @param awaySeconds for which its other end may be gone
     * @param idleSeconds for which its terminal may be silent; 0 for any time
     * @param most sessions that the node may have at once
     */
    public record Terms(String job, int attempt, int awaySeconds, int idleSeconds, int most) {}

    private record Key(String node, String id) {}

    private static final class Place {
        final Map<Side, End> ends = new LinkedHashMap<>();

        @Nullable
        Terms terms;

        String refusal = "";
    }

    /** The end of waiting. */
    public sealed interface Outcome {
        /** Both are there: to be answered, and carried. */
        record Met(End end) implements Outcome {}

        record Refused(String why) implements Outcome {}

        record Nobody() implements Outcome {}

        record Full() implements Outcome {}
    }

    /** The head's end. Replaces an earlier one, whose connection nobody may have seen break. */
    public Outcome fromHead(String node, String id, @Nullable Terms terms, Duration wait) throws InterruptedException {
        return meet(Side.HEAD, new Key(node, id), terms, wait);
    }

    /** The node's end, likewise. */
    public Outcome fromNode(String node, String id, Duration wait) throws InterruptedException {
        return meet(Side.NODE, new Key(node, id), null, wait);
    }

    private Outcome meet(Side side, Key key, @Nullable Terms terms, Duration wait) throws InterruptedException {
        End end;
        lock.lock();
        try {
            if (!places.containsKey(key)
                    && (places.size() >= MOST
                            || places.keySet().stream()
                                            .filter(one -> one.node().equals(key.node()))
                                            .count()
                                    >= MOST_OF_NODE)) {
                return new Outcome.Full();
            }
            Place place = places.computeIfAbsent(key, any -> new Place());
            end = new End(key, place, side);
            End before = place.ends.put(side, end);
            if (before != null) {
                before.give();
                before.giveOther();
            }
            if (terms != null) {
                place.terms = terms;
                place.refusal = "";
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        news.run();
        try {
            Outcome outcome = await(end, wait);
            if (!(outcome instanceof Outcome.Met)) {
                leave(end);
            }
            return outcome;
        } catch (InterruptedException stop) {
            leave(end);
            throw stop;
        }
    }

    private Outcome await(End end, Duration wait) throws InterruptedException {
        lock.lock();
        try {
            long left = wait.toNanos();
            while (true) {
                if (end.given) {
                    return new Outcome.Nobody();
                }
                if (end.side == Side.HEAD && !end.place.refusal.isEmpty()) {
                    return new Outcome.Refused(end.place.refusal);
                }
                if (end.peer == null) {
                    end.unpaired().ifPresent(other -> {
                        end.peer = other;
                        other.peer = end;
                        changed.signalAll();
                    });
                }
                if (end.peer != null) {
                    return new Outcome.Met(end);
                }
                if (left <= 0) {
                    return new Outcome.Nobody();
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The node will not begin it. */
    public void refuse(String node, String id, String why) {
        lock.lock();
        try {
            Place place = places.get(new Key(node, id));
            if (place != null) {
                place.refusal = why.isEmpty() ? "the node does not say why" : why;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        news.run();
    }

    /** Lines of a node's orders: sessions whose head waits and whose node has not come. */
    public String lines(String node) {
        lock.lock();
        try {
            List<String> waiting = new ArrayList<>();
            places.forEach((key, place) -> {
                if (key.node().equals(node)
                        && place.ends.containsKey(Side.HEAD)
                        && !place.ends.containsKey(Side.NODE)
                        && place.refusal.isEmpty()) {
                    waiting.add("session " + key.id() + "\n");
                }
            });
            return waiting.stream().sorted().collect(Collectors.joining());
        } finally {
            lock.unlock();
        }
    }

    /** Facts of a session that waits for this node. */
    public Optional<Terms> terms(String node, String id) {
        lock.lock();
        try {
            return Optional.ofNullable(places.get(new Key(node, id))).map(place -> place.terms);
        } finally {
            lock.unlock();
        }
    }

    private void leave(End end) {
        lock.lock();
        try {
            end.given = true;
            end.place.ends.remove(end.side, end);
            if (end.place.ends.isEmpty()) {
                places.remove(end.key, end.place);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        news.run();
    }

    /** The beginning of an answer. */
    public interface Opening {
        OutputStream open() throws IOException;
    }

    /** An end of a session, for as long as one connection. */
    public final class End {
        private final Key key;
        private final Place place;
        private final Side side;
        /** The connection that this one is joined with; stays when either is gone. */
        private @Nullable End peer;

        private boolean given;
        private @Nullable OutputStream out;
        private @Nullable Thread thread;

        private End(Key key, Place place, Side side) {
            this.key = key;
            this.place = place;
            this.side = side;
        }

        private Optional<End> unpaired() {
            return Optional.ofNullable(place.ends.get(side == Side.HEAD ? Side.NODE : Side.HEAD))
                    .filter(other -> !other.given && other.peer == null);
        }

        private void giveOther() {
            if (peer != null) {
                peer.give();
            }
        }

        /** The connection goes: an interrupt closes what its thread reads. */
        private void give() {
            given = true;
            place.ends.remove(side, this);
            if (thread != null) {
                thread.interrupt();
            }
            changed.signalAll();
        }

        /**
         * Sends what is read here to the other end, until either is gone; both connections are of no further use then. The
         * caller's thread is left interrupted, so that nothing waits for the rest of what it read.
         *
         * @param answer begins the answer, now that both ends are there
         */
        public void carry(InputStream from, Opening answer) {
            try {
                OutputStream other = begin(answer.open());
                byte[] piece = new byte[PIECE_BYTES];
                for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
                    other.write(piece, 0, count);
                    other.flush();
                }
            } catch (IOException | InterruptedException gone) {
                // Either end comes again, and says how far it had read.
                given = true;
            } finally {
                end();
                Thread.currentThread().interrupt();
            }
        }

        private OutputStream begin(OutputStream to) throws IOException, InterruptedException {
            lock.lock();
            try {
                out = to;
                thread = Thread.currentThread();
                changed.signalAll();
                long left = MEETING.toNanos();
                while (true) {
                    End other = peer;
                    if (given || other == null || other.given || left <= 0) {
                        throw new IOException("the other end is gone");
                    }
                    if (other.out != null) {
                        return other.out;
                    }
                    left = changed.awaitNanos(left);
                }
            } finally {
                lock.unlock();
            }
        }

        private void end() {
            lock.lock();
            try {
                thread = null;
                giveOther();
            } finally {
                lock.unlock();
            }
            leave(this);
        }
    }
}
