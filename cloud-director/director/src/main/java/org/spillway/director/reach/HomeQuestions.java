package org.spillway.director.reach;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;

/**
 * Questions that wait for the head, which comes for them. One that was taken and is not answered is given out again: the
 * link may have been cut in between, and a question needs no memory.
 */
public final class HomeQuestions {
    /** How long a job waits for its home. */
    public static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Duration AGAIN = Duration.ofSeconds(10);
    /** Of one answer to the head. */
    private static final int AT_ONCE = 64;

    private final InstantSource steady;
    private final Duration patience;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private final Map<Long, Open> open = new LinkedHashMap<>();
    /** Answers to a director that is gone reach the one that follows it: what they belong to is none of its questions. */
    private long numbers = new SecureRandom().nextLong() >>> 2;

    /**
     * Who asks.
     *
     * @param owner whose files they are: the user's number
     */
    public record Asker(String job, int attempt, String node, String owner) {}

    private static final class Open {
        final Messages.Asked asked;
        final CompletableFuture<Reply> reply = new CompletableFuture<>();
        Instant takenAt = Instant.MIN;

        Open(Messages.Asked asked) {
            this.asked = asked;
        }
    }

    /** @param steady a clock that never jumps */
    public HomeQuestions(InstantSource steady, Duration patience) {
        this.steady = steady;
        this.patience = patience;
    }

    /** @throws IOException if home does not answer in time */
    Reply ask(Asker who, Question question) throws IOException, InterruptedException {
        Open asked;
        lock.lock();
        try {
            asked = new Open(new Messages.Asked(++numbers, who.job(), who.attempt(), who.node(), question));
            open.put(numbers, asked);
            more.signal();
        } finally {
            lock.unlock();
        }
        try {
            return asked.reply.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw new IOException("home does not answer", e);
        } finally {
            forget(asked.asked.number());
        }
    }

    private void forget(long number) {
        lock.lock();
        try {
            open.remove(number);
        } finally {
            lock.unlock();
        }
    }

    /** Questions without an answer. */
    public int waiting() {
        lock.lock();
        try {
            return open.size();
        } finally {
            lock.unlock();
        }
    }

    /** Questions that nobody is answering; waits for one. */
    public byte[] take(Duration wait) throws IOException, InterruptedException {
        lock.lock();
        try {
            long left = wait.toNanos();
            while (true) {
                List<Messages.Asked> taken = new ArrayList<>();
                Instant now = steady.instant();
                for (Open each : open.values()) {
                    if (taken.size() < AT_ONCE && each.takenAt.isBefore(now.minus(AGAIN))) {
                        each.takenAt = now;
                        taken.add(each.asked);
                    }
                }
                if (!taken.isEmpty() || left <= 0) {
                    return Messages.asked(taken);
                }
                left = more.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** @throws IllegalArgumentException if it is none */
    public void answered(byte[] told) throws IOException {
        Messages.Told answer = Messages.readTold(told);
        Open asked;
        lock.lock();
        try {
            asked = open.remove(answer.number());
        } finally {
            lock.unlock();
        }
        if (asked != null) {
            asked.reply.complete(answer.reply());
        }
    }
}
