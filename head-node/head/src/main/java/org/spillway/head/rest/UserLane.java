package org.spillway.head.rest;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.head.serving.RequestShares;
import org.spillway.head.serving.Turns;

/**
 * The requests of users that are no administrators: each user has a share, and all of them together have their own threads.
 * The threads are the system's, so that one that calculates is set aside for an administrator's request and for the
 * head's own work, which a virtual thread is not.
 */
final class UserLane implements AutoCloseable {
    static final int MOST_REQUESTS = 16;
    private static final int AT_ONCE = 12;
    private static final int AT_ONCE_OF_ONE = 3;
    private static final long MOST_BYTES = 8L << 20;
    private static final long MOST_BYTES_OF_ALL = 64L << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final RequestShares shares =
            new RequestShares(new RequestShares.Bounds(MOST_REQUESTS, MOST_BYTES, MOST_BYTES_OF_ALL));
    private final Turns turns = new Turns(AT_ONCE, AT_ONCE_OF_ONE);
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("rest-user-", 0).factory());

    /**
     * Begins a request, before its body is read.
     *
     * @param bytes of its body, as announced
     * @throws ApiException TOO_MANY or UNAVAILABLE
     */
    Share begin(Caller caller, long bytes) {
        switch (shares.begin(caller.uid(), bytes)) {
            case BEGUN -> {
                return new Share(caller, bytes);
            }
            case TOO_MANY ->
                throw new ApiException(
                        Code.TOO_MANY,
                        "user " + caller.user() + " has " + MOST_REQUESTS + " requests under way already",
                        "wait for one of them to be answered, then try again");
            case TOO_LARGE ->
                throw new ApiException(
                        Code.TOO_MANY,
                        "requests and answers of user " + caller.user() + " that are under way hold "
                                + (MOST_BYTES >> 20) + " MiB already",
                        "wait for one of them to be answered, then try again");
            case FULL ->
                throw new ApiException(
                        Code.UNAVAILABLE,
                        "requests and answers of all users that are under way hold " + (MOST_BYTES_OF_ALL >> 20)
                                + " MiB already",
                        "try again in some seconds");
        }
        throw new IllegalStateException("a verdict of another release");
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /** The part of a user's share that one request holds. */
    final class Share {
        private final Caller caller;
        private long bytes;
        private boolean over;

        private Share(Caller caller, long bytes) {
            this.caller = caller;
            this.bytes = bytes;
        }

        /** An answer of so many bytes is kept until its reader has it. */
        synchronized void add(long more) {
            if (!over) {
                bytes += more;
                shares.add(caller.uid(), more);
            }
        }

        /** The request is over; a second call does nothing. */
        synchronized void end() {
            if (!over) {
                over = true;
                shares.end(caller.uid(), bytes);
            }
        }

        /** Works when it is this user's turn. @throws ApiException UNAVAILABLE when that does not come, or as the work */
        Routes.Answer inTurn(Supplier<Routes.Answer> work) {
            try {
                if (!turns.begin(caller.uid(), PATIENCE)) {
                    throw new ApiException(
                            Code.UNAVAILABLE,
                            "the head has answered others for " + PATIENCE.toSeconds() + " s, and is not through",
                            "try again in some seconds");
                }
                try {
                    Future<Routes.Answer> answer = threads.submit(work::get);
                    return answer.get();
                } finally {
                    turns.end(caller.uid());
                }
            } catch (ExecutionException failed) {
                throw failed.getCause() instanceof RuntimeException refused
                        ? refused
                        : new IllegalStateException(failed.getCause());
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new ApiException(Code.UNAVAILABLE, "the head is stopping", "try again later");
            }
        }
    }
}
