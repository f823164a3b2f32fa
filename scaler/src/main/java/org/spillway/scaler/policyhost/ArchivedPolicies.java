package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.scaler.Decider;

/**
 * Versions of policies that a host has kept, to be asked once more: each in a child process as it was then. Children stay
 * for a while, as one asks about many decisions, and end when nobody asks any more. Any thread; one question at a time.
 */
public final class ArchivedPolicies implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration IDLE = Duration.ofSeconds(20);
    private static final int MOST_CHILDREN = 2;
    private static final int SEEDS = 20;

    private final PolicyArchive archive;
    private final Nursery nursery;
    private final Map<Key, ChildProcess> children = new LinkedHashMap<>(4, 0.75f, true);
    private long usedNanos = System.nanoTime();
    private boolean watched;
    private boolean closed;

    private record Key(String digest, Map<String, String> texts) {}

    /** A kept policy cannot be asked again; the message says why, after the policy's name and version. */
    public static final class Gone extends RuntimeException {
        private static final long serialVersionUID = 1;

        Gone(String message) {
            super(message);
        }
    }

    /**
     * Opens nothing yet.
     *
     * @param kept folder that the host keeps versions in: {@code policies} of the head's state; it need not be there
     * @param memoryMib heap of one child
     * @param said hears what policies print
     */
    public ArchivedPolicies(Path kept, Containment containment, int memoryMib, Consumer<String> said) {
        archive = new PolicyArchive(kept);
        nursery = new Nursery(containment, memoryMib, PATIENCE, said);
    }

    /**
     * Decides as this version with these settings; no deadline of then, but ten seconds for each decision.
     *
     * @return a decider that throws {@link Gone} when the version cannot be asked
     */
    public Decider decider(Decider.Source source, PluginSettings settings) {
        return (now, planner) -> decide(now, source, settings);
    }

    private synchronized Decider.Decision decide(ClusterSnapshot now, Decider.Source source, PluginSettings settings) {
        Key key = new Key(source.version(), settings.texts());
        ChildProcess child = children.get(key);
        if (child == null || !child.isAlive()) {
            child = grow(key);
        }
        try {
            return new Decider.Decision(source, Nursery.decide(child, settings.rules(), now, PATIENCE), "");
        } catch (ChildFailure failure) {
            children.remove(key);
            child.close();
            throw new Gone(failure.sentence());
        } finally {
            usedNanos = System.nanoTime();
            watch();
        }
    }

    private ChildProcess grow(Key key) {
        if (closed) {
            throw new Gone("is not asked, as the head stops");
        }
        try {
            Optional<PolicyArchive.Version> kept = archive.find(key.digest());
            if (kept.isEmpty()) {
                throw new Gone("is not there any more");
            }
            while (children.size() >= MOST_CHILDREN) {
                Key eldest = children.keySet().iterator().next();
                end(eldest);
            }
            ChildProcess child = nursery.grow(
                            kept.get().file(), kept.get().content(), Map.of("", key.texts()), SEEDS, null)
                    .child();
            children.put(key, child);
            return child;
        } catch (NotTaken refused) {
            throw new Gone("does not start any more: " + refused.findings().getFirst());
        } catch (IOException unreadable) {
            throw new Gone("cannot be read: " + Plain.text(unreadable.getMessage()));
        }
    }

    private void end(Key key) {
        ChildProcess child = children.remove(key);
        if (child != null) {
            child.close();
        }
    }

    private void watch() {
        if (!watched && !children.isEmpty()) {
            watched = true;
            Thread.ofPlatform().daemon().name("policies-kept").start(this::untilIdle);
        }
    }

    private synchronized void untilIdle() {
        try {
            while (!closed) {
                long left = IDLE.toMillis() - (System.nanoTime() - usedNanos) / 1_000_000;
                if (left <= 0) {
                    break;
                }
                wait(left);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        watched = false;
        endAll();
    }

    private void endAll() {
        List<Key> all = new ArrayList<>(children.keySet());
        all.forEach(this::end);
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        notifyAll();
        endAll();
        nursery.close();
    }
}
