package org.spillway.head.nodelog;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.ForwardingCompute;
import org.spillway.cloud.ForwardingSite;
import org.spillway.cloud.Site;

/**
 * A site whose provider is asked for the console of an instance before it is told to end it, once. The end waits for no
 * answer longer than {@code patience}, and no further end does for a while once one had to: a machine costs money.
 */
public final class LastConsoles extends ForwardingSite {
    /** The longest that an end is held back. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(LastConsoles.class);
    private static final Duration REST = Duration.ofMinutes(5);
    private static final int AT_ONCE = 4;
    private static final int MOST_ASKED = 20_000;

    private final String name;
    private final Compute compute;
    private final Optional<Console> console;
    private final Sink sink;
    private final Duration patience;
    private final InstantSource clock;
    /** Calls that hang hold no more of the account's lines than these. */
    private final Semaphore lines = new Semaphore(AT_ONCE);

    private final Map<String, Boolean> asked = new LinkedHashMap<>();
    private volatile Instant notBefore = Instant.MIN;

    /** Takes what was said. */
    public interface Sink {
        /** @param text untrusted, not empty */
        void keep(String instance, String text);
    }

    public LastConsoles(String name, Site site, Sink sink, Duration patience, InstantSource clock) {
        super(site);
        this.name = name;
        this.compute = site.compute();
        this.console = site.console();
        this.sink = sink;
        this.patience = patience;
        this.clock = clock;
    }

    /** Asks for the consoles of instances that nobody has asked for yet; returns when they are kept, or in time without. */
    public void ask(Collection<String> instances) {
        if (console.isEmpty() || clock.instant().isBefore(notBefore)) {
            return;
        }
        List<Thread> asking = new ArrayList<>();
        for (String instance : instances) {
            if (isFirst(instance)) {
                asking.add(Thread.ofVirtual().name("console of " + instance).start(() -> ask(console.get(), instance)));
            }
        }
        long deadline = System.nanoTime() + patience.toNanos();
        for (Thread each : asking) {
            try {
                if (!each.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())))) {
                    each.interrupt();
                    notBefore = clock.instant().plus(REST);
                    LOG.info("site {}: no {} in time", name, each.getName());
                }
            } catch (InterruptedException stop) {
                asking.forEach(Thread::interrupt);
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void ask(Console provider, String instance) {
        try {
            if (!lines.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
            try {
                String text = provider.output(instance);
                if (!text.isBlank()) {
                    sink.keep(instance, text);
                }
            } finally {
                lines.release();
            }
        } catch (CloudException notHad) {
            LOG.info("site {}: no console of {}: {}", name, instance, notHad.getMessage());
        } catch (InterruptedException late) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException fault) {
            LOG.warn("site {}: no console of {}", name, instance, fault);
        }
    }

    private synchronized boolean isFirst(String instance) {
        if (asked.size() >= MOST_ASKED) {
            asked.remove(asked.keySet().iterator().next());
        }
        return asked.put(instance, true) == null;
    }

    @Override
    public Compute compute() {
        return new ForwardingCompute(compute) {
            @Override
            public void terminate(Collection<String> instanceIds) throws CloudException {
                ask(instanceIds);
                super.terminate(instanceIds);
            }
        };
    }
}
