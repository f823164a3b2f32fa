package org.spillway.head.web;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
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
    /** Of one user that is no administrator. The sixth takes the place of the first, which a browser may have left. */
    static final int MOST_OF_ONE = 5;
    /** Places that are for administrators only. */
    private static final int KEPT = 10;

    static final Duration KEEP_ALIVE = Duration.ofSeconds(15);
    private static final Logger LOG = LoggerFactory.getLogger(EventStreams.class);
    private static final int RETRY_MILLIS = 3000;
    /** For a page whose place another has taken. */
    private static final int LATER_MILLIS = 60_000;

    private final Map<Integer, Deque<Place>> open = new HashMap<>();
    private boolean ended;
    private final Duration pace;
    private final Duration keepAlive;

    EventStreams(Duration pace, Duration keepAlive) {
        this.pace = pace;
        this.keepAlive = keepAlive;
    }

    /** Room for a stream of that user. */
    static final class Place {
        private final int uid;
        private final CountDownLatch over = new CountDownLatch(1);

        private Place(int uid) {
            this.uid = uid;
        }
    }

    /** A place for one more stream, for {@link #send}; empty when there is no room. */
    synchronized Optional<Place> take(Caller caller) {
        Deque<Place> own = open.getOrDefault(caller.uid(), new ArrayDeque<>());
        if (!caller.admin() && own.size() >= MOST_OF_ONE) {
            own.removeFirst().over.countDown();
        }
        if (ended || open() >= (caller.admin() ? MOST : MOST - KEPT)) {
            return Optional.empty();
        }
        Place place = new Place(caller.uid());
        own.addLast(place);
        open.put(caller.uid(), own);
        return Optional.of(place);
    }

    private synchronized void leave(Place place) {
        open.computeIfPresent(place.uid, (uid, own) -> {
            own.remove(place);
            return own.isEmpty() ? null : own;
        });
    }

    private synchronized boolean ended() {
        return ended;
    }

    synchronized int open() {
        return open.values().stream().mapToInt(Deque::size).sum();
    }

    /**
     * Sends until the reader goes away, is welcome no longer, loses the place, or the head ends.
     *
     * @param place that was taken
     * @param version of the page's files: a page that was made with others loads itself again
     */
    void send(
            Place place,
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
            } while (!place.over.await(pace.toMillis(), TimeUnit.MILLISECONDS) && welcome.getAsBoolean());
            if (place.over.getCount() == 0 && !ended()) {
                write(out, "retry: " + LATER_MILLIS + "\n\n");
            }
        } catch (IOException gone) {
            LOG.debug("a stream of events has ended: {}", gone.getMessage());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            leave(place);
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
    synchronized void end() {
        ended = true;
        open.values().forEach(own -> own.forEach(place -> place.over.countDown()));
    }
}
