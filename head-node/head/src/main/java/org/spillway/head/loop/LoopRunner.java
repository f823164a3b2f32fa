package org.spillway.head.loop;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ApiException;
import org.spillway.head.journal.JournalFailure;

/** The loop's thread: ticks, and in between does what others ask for, since only this thread writes the journal. */
public final class LoopRunner {
    private static final Logger LOG = LoggerFactory.getLogger(LoopRunner.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Loop loop;
    private final Semaphore wake;
    private final InstantSource clock;
    private final Duration tick;
    private final Requests requests;
    private final TickTimes times = new TickTimes();
    private volatile boolean stopping;

    /** @param tick the longest pause between two ticks */
    public LoopRunner(Loop loop, Semaphore wake, InstantSource clock, Duration tick) {
        this.loop = loop;
        this.wake = wake;
        this.clock = clock;
        this.tick = tick;
        this.requests = new Requests(loop.context.world.journal(), clock);
    }

    /**
     * Ticks until {@link #stop}. A tick that fails is logged and the next one tries again: what it had journalled holds.
     *
     * @throws JournalFailure when nothing can be remembered any more
     */
    public void run() throws InterruptedException {
        long end = System.nanoTime();
        try {
            while (!stopping) {
                serve();
                long begin = System.nanoTime();
                Duration late = Duration.ofNanos(begin - end).minus(tick);
                try {
                    loop.tick(clock.instant());
                } catch (JournalFailure failure) {
                    throw failure;
                } catch (RuntimeException fault) {
                    LOG.error("a tick failed; the next one goes on from the journal", fault);
                }
                end = System.nanoTime();
                Duration took = Duration.ofNanos(end - begin);
                times.add(took, late);
                pause(took);
            }
        } finally {
            requests.close();
        }
    }

    /** Requests that are left wait for no other to come. */
    private int serve() {
        int written = requests.serve();
        if (!requests.isEmpty()) {
            wake.release();
        }
        return written;
    }

    /** Requests are served at once all the while. */
    private void pause(Duration took) throws InterruptedException {
        long begin = System.nanoTime();
        boolean busy = loop.isBusy();
        Pace.Call call = Pace.Call.NONE;
        while (!stopping) {
            long passed = System.nanoTime() - begin;
            long left = Pace.rest(took, tick, busy, call).toNanos() - passed;
            if (left <= 0) {
                return;
            }
            if (wake.tryAcquire(left, TimeUnit.NANOSECONDS)) {
                wake.drainPermits();
                call = call.and(serve() > 0 ? Pace.Call.CHANGE : Pace.Call.WAKE);
            }
        }
    }

    /**
     * Has something done on the loop's thread, and waits for it.
     *
     * @throws RuntimeException whatever the request threw; an ApiException (UNAVAILABLE) when it was not done in time, and
     *     may be done yet
     */
    public <T> T ask(Function<Instant, T> request) {
        return await(requests.ask(request));
    }

    /**
     * Has a change worked out on the loop's thread and written, together with others that wait, and waits until it is
     * durable.
     *
     * @param key such that two changes of different keys do not depend on one another; not empty
     * @param change says what to write; it does not commit
     * @throws RuntimeException whatever the change threw; nothing of it was written then, unless it is the ApiException
     *     (UNAVAILABLE) of one that was not durable in time
     */
    public <T> T change(String key, Function<Instant, Change<T>> change) {
        return await(requests.change(key, change));
    }

    private <T> T await(CompletableFuture<T> answer) {
        wake.release();
        try {
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (TimeoutException _) {
            throw new ApiException(
                    ApiException.Code.UNAVAILABLE,
                    "the head does not answer within " + PATIENCE.toSeconds()
                            + " s: it has much to do, or the disk of its state is slow",
                    "what was asked for may be done all the same: look before asking again");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Of the last ticks. Any thread. */
    public TickTimes times() {
        return times;
    }

    public void stop() {
        stopping = true;
        wake.release();
    }
}
