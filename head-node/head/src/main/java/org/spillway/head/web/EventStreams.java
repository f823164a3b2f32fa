package org.spillway.head.web;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.Json;
import org.spillway.head.rest.Caller;

/**
 * Server-sent events: the parts of a page whose HTML has changed, as {@code {"part":…,"html":…}}. Each stream has a
 * virtual thread to itself, so that a reader who stalls holds up nobody; it ends when its connection refuses a byte,
 * which a comment every 15 s makes sure to send.
 */
final class EventStreams {
    static final int MOST = 50;
    /** Of one user that is no administrator. */
    static final int MOST_OF_ONE = 5;
    /** Places that are for administrators only. */
    private static final int KEPT = 10;

    static final Duration KEEP_ALIVE = Duration.ofSeconds(15);
    private static final Logger LOG = LoggerFactory.getLogger(EventStreams.class);
    private static final int RETRY_MILLIS = 3000;

    private final Map<Integer, Integer> open = new HashMap<>();
    private final CountDownLatch ending = new CountDownLatch(1);
    private final Duration pace;
    private final Duration keepAlive;

    EventStreams(Duration pace, Duration keepAlive) {
        this.pace = pace;
        this.keepAlive = keepAlive;
    }

    /** Whether there is room for one more; then {@link #send} has to follow. */
    synchronized boolean take(Caller caller) {
        int all = open();
        int own = open.getOrDefault(caller.uid(), 0);
        boolean room = caller.admin() ? all < MOST : all < MOST - KEPT && own < MOST_OF_ONE;
        if (ending.getCount() == 0 || !room) {
            return false;
        }
        open.put(caller.uid(), own + 1);
        return true;
    }

    private synchronized void leave(Caller caller) {
        open.computeIfPresent(caller.uid(), (uid, own) -> own == 1 ? null : own - 1);
    }

    synchronized int open() {
        return open.values().stream().mapToInt(Integer::intValue).sum();
    }

    /**
     * Sends until the reader goes away, is welcome no longer, or the head ends.
     *
     * @param caller who took the place
     * @param version of the page's files: a page that was made with others loads itself again
     */
    void send(
            Caller caller,
            OutputStream out,
            String version,
            BooleanSupplier welcome,
            Supplier<Map<String, String>> parts) {
        var sent = new HashMap<String, String>();
        try {
            write(
                    out,
                    "retry: " + RETRY_MILLIS + "\nevent: hello\ndata: " + Json.write(Map.of("version", version))
                            + "\n\n");
            long lastWord = System.nanoTime();
            do {
                if (sendChanged(out, sent, parts)) {
                    lastWord = System.nanoTime();
                } else if (System.nanoTime() - lastWord >= keepAlive.toNanos()) {
                    write(out, ": still here\n\n");
                    lastWord = System.nanoTime();
                }
            } while (!ending.await(pace.toMillis(), TimeUnit.MILLISECONDS) && welcome.getAsBoolean());
        } catch (IOException gone) {
            LOG.debug("a stream of events has ended: {}", gone.getMessage());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            leave(caller);
        }
    }

    private static boolean sendChanged(OutputStream out, Map<String, String> sent, Supplier<Map<String, String>> parts)
            throws IOException {
        Map<String, String> now;
        try {
            now = parts.get();
        } catch (RuntimeException notNow) {
            // The head is starting or ending, or cannot say; the next second may know more.
            LOG.debug("nothing to send", notNow);
            return false;
        }
        boolean any = false;
        for (var part : now.entrySet()) {
            if (!part.getValue().equals(sent.put(part.getKey(), part.getValue()))) {
                var data = Json.write(Map.of("part", part.getKey(), "html", part.getValue()));
                write(out, "event: part\ndata: " + data + "\n\n");
                any = true;
            }
        }
        return any;
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Ends all streams. */
    void end() {
        ending.countDown();
    }
}
