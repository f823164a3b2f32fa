package org.spillway.head.loop;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.journal.JournalFailure;

/** The loop's thread: ticks, and in between does what others ask for, since only this thread writes the journal. */
public final class LoopRunner {
    private static final Logger LOG = LoggerFactory.getLogger(LoopRunner.class);
    private static final Duration WHEN_BUSY = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Loop loop;
    private final Semaphore wake;
    private final InstantSource clock;
    private final Duration tick;
    private final Queue<Runnable> requests = new ConcurrentLinkedQueue<>();
    private volatile boolean stopping;

    /** @param tick the longest pause between two ticks */
    public LoopRunner(Loop loop, Semaphore wake, InstantSource clock, Duration tick) {
        this.loop = loop;
        this.wake = wake;
        this.clock = clock;
        this.tick = tick;
    }

    /**
     * Ticks until {@link #stop}. A tick that fails is logged and the next one tries again: what it had journalled holds.
     *
     * @throws JournalFailure when nothing can be remembered any more
     */
    public void run() throws InterruptedException {
        while (!stopping) {
            for (Runnable request = requests.poll(); request != null; request = requests.poll()) {
                request.run();
            }
            try {
                loop.tick(clock.instant());
            } catch (JournalFailure failure) {
                throw failure;
            } catch (RuntimeException fault) {
                LOG.error("a tick failed; the next one goes on from the journal", fault);
            }
            Duration pause = loop.isBusy() && WHEN_BUSY.compareTo(tick) < 0 ? WHEN_BUSY : tick;
            if (requests.isEmpty() && wake.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                wake.drainPermits();
            }
        }
    }

    /**
     * Has something done on the loop's thread, and waits for it.
     *
     * @throws RuntimeException whatever the request threw
     */
    public <T> T ask(Function<Instant, T> request) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        requests.add(() -> {
            try {
                answer.complete(request.apply(clock.instant()));
            } catch (RuntimeException failure) {
                answer.completeExceptionally(failure);
            }
        });
        wake.release();
        try {
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("the loop did not answer within " + PATIENCE.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    public void stop() {
        stopping = true;
        wake.release();
    }
}
