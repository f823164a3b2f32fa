package org.spillway.head.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.catalogue.CataloguedSite;

/** Asks every site regularly what it sells: the sites of one account not all at once, and no start waits for it. */
final class Refreshing implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Refreshing.class);
    /** The loop has asked for what is not known at all by then, and the head has had its start for itself. */
    private static final Duration FIRST = Duration.ofSeconds(20);

    private static final Duration APART = Duration.ofSeconds(5);
    private static final Duration ENDING = Duration.ofSeconds(5);
    private final List<Thread> threads = new ArrayList<>();

    /**
     * @param turns what is to be repeated, by the name of its site; each has its own thread, so that a provider that
     *     does not answer holds up no other
     * @param first until the first turn of the first site
     * @param apart between the first turns of two sites
     * @param period between the end of a turn and the site's next
     */
    Refreshing(Map<String, Runnable> turns, Duration first, Duration apart, Duration period) {
        Duration wait = first;
        for (Map.Entry<String, Runnable> turn : turns.entrySet()) {
            Duration until = wait;
            threads.add(Thread.ofVirtual()
                    .name("refreshing " + turn.getKey())
                    .start(() -> repeat(turn.getKey(), turn.getValue(), until, period)));
            wait = wait.plus(apart);
        }
    }

    static Refreshing begin(Map<String, CataloguedSite> sites, Duration period) {
        Map<String, Runnable> turns = new LinkedHashMap<>();
        sites.forEach((name, site) -> turns.put(name, site::refresh));
        return new Refreshing(turns, FIRST, APART, period);
    }

    private static void repeat(String site, Runnable turn, Duration first, Duration period) {
        try {
            for (Duration wait = first; ; wait = period) {
                Thread.sleep(wait);
                try {
                    turn.run();
                } catch (RuntimeException failed) {
                    LOG.warn("site {}: its offerings could not be refreshed", site, failed);
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws InterruptedException {
        threads.forEach(Thread::interrupt);
        long deadline = System.nanoTime() + ENDING.toNanos();
        for (Thread each : threads) {
            each.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
        }
    }
}
