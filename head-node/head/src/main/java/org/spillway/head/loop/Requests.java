package org.spillway.head.loop;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalFailure;

/**
 * Requests of other threads for the loop's thread, served in the order in which they came. Changes that wait together
 * share one durable write, for that is what takes the time. It is as if they had come one after the other:
 *
 * <ul>
 *   <li>each is worked out from what is durable, since two of one key never share a write,
 *   <li>each is answered after the write that holds all of it,
 *   <li>one that is refused, by itself or by the journal, does not hinder the others.
 * </ul>
 */
public final class Requests {
    /** A bound for one transaction; more wait for the next. */
    private static final int MOST_IN_A_WRITE = 100;
    /** A bound for one call, however fast more come: the loop has its own work. */
    static final int MOST_AT_ONCE = 1000;

    private final Journal journal;
    private final InstantSource clock;
    private final Queue<Request<?>> queue = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    Requests(Journal journal, InstantSource clock) {
        this.journal = journal;
        this.clock = clock;
    }

    /** @param key of what it reads and writes; empty for a request that sees to its own writes */
    private record Request<T>(String key, Function<Instant, Change<T>> change, CompletableFuture<T> answer) {
        void refuse(RuntimeException why) {
            answer.completeExceptionally(why);
        }
    }

    /** A change that was worked out and waits for its write. */
    private record Waiting<T>(Request<T> request, Change<T> change) {
        void done() {
            request.answer.complete(change.answer());
        }
    }

    /** Has it run on the loop's thread, by itself: it may commit. Any thread. */
    <T> CompletableFuture<T> ask(Function<Instant, T> request) {
        return add(new Request<>("", now -> Change.none(request.apply(now)), new CompletableFuture<>()));
    }

    /**
     * Has a change worked out on the loop's thread, and written together with others. Any thread.
     *
     * @param key such that two changes of different keys do not depend on one another; not empty
     * @param change must not commit, and reads nothing of what changes of other keys may write
     */
    <T> CompletableFuture<T> change(String key, Function<Instant, Change<T>> change) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("a change needs a key");
        }
        return add(new Request<>(key, change, new CompletableFuture<>()));
    }

    private <T> CompletableFuture<T> add(Request<T> request) {
        queue.add(request);
        if (closed) {
            close();
        }
        return request.answer;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /**
     * Serves those that wait, {@value #MOST_AT_ONCE} at most. The loop's thread.
     *
     * @return how many changes were written
     * @throws JournalFailure when nothing can be remembered any more; all who wait for the write are told the same
     */
    int serve() {
        List<Waiting<?>> together = new ArrayList<>();
        try {
            return serve(together);
        } catch (JournalFailure failure) {
            together.forEach(one -> one.request.refuse(failure));
            throw failure;
        }
    }

    private int serve(List<Waiting<?>> together) {
        int written = 0;
        int served = 0;
        Set<String> keys = new HashSet<>();
        Instant now = clock.instant();
        for (Request<?> next = queue.peek(); next != null && served < MOST_AT_ONCE; next = queue.peek()) {
            served++;
            if (next.key.isEmpty() || keys.contains(next.key) || together.size() == MOST_IN_A_WRITE) {
                write(together, now);
                written += together.size();
                together.clear();
                keys.clear();
                now = clock.instant();
            }
            queue.remove();
            prepare(next, now, together);
            keys.add(next.key);
        }
        write(together, now);
        return written + together.size();
    }

    private static <T> void prepare(Request<T> request, Instant now, List<Waiting<?>> together) {
        try {
            Waiting<T> waiting = new Waiting<>(request, request.change.apply(now));
            if (waiting.change.entries().isEmpty()) {
                waiting.done();
            } else {
                together.add(waiting);
            }
        } catch (RuntimeException refused) {
            request.refuse(refused);
            if (refused instanceof JournalFailure failure) {
                throw failure;
            }
        }
    }

    private void write(List<Waiting<?>> together, Instant now) {
        List<Entry> entries = new ArrayList<>();
        together.forEach(one -> entries.addAll(one.change.entries()));
        try {
            journal.commit(now, entries);
            together.forEach(Waiting::done);
        } catch (JournalFailure failure) {
            throw failure;
        } catch (RuntimeException refused) {
            // The journal wrote nothing: one of them takes a step that is not allowed. The others are innocent.
            if (together.size() == 1) {
                together.getFirst().request.refuse(refused);
            } else {
                together.forEach(one -> write(List.of(one), now));
            }
        }
    }

    /** Nobody serves any more: who waits, and who comes later, is told so. */
    void close() {
        closed = true;
        for (Request<?> next = queue.poll(); next != null; next = queue.poll()) {
            next.refuse(new IllegalStateException("the head is stopping"));
        }
    }
}
