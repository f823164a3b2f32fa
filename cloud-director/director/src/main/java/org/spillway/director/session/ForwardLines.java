package org.spillway.director.session;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.spillway.director.session.Sessions.Outcome;

/**
 * Lines from nodes to services of home (ADR 77). A node comes first, and the head for what it hears that a node waits for. Nothing is
 * kept of what passes, as of {@link Sessions}.
 */
public final class ForwardLines {
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** Lines of one answer to the head. */
    private static final int AT_ONCE = 64;

    private final Sessions sessions = new Sessions(() -> {});
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private final Map<String, Waiting> waiting = new LinkedHashMap<>();

    /**
     * A line of a job's node.
     *
     * @param name of the service
     * @param id 32 hexadecimal digits, drawn by the node
     */
    public record Line(String node, String job, int attempt, String name, String id) {
        String text() {
            return String.join(" ", node, job, Integer.toString(attempt), name, id) + "\n";
        }
    }

    private static final class Waiting {
        final Line line;
        long takenNanos = System.nanoTime() - AGAIN_NANOS;

        Waiting(Line line) {
            this.line = line;
        }
    }

    /** The node's end. Replaces an earlier one. */
    public Outcome fromNode(Line line, Duration wait) throws InterruptedException {
        String key = line.node() + " " + line.id();
        Waiting one = new Waiting(line);
        lock.lock();
        try {
            waiting.put(key, one);
            more.signal();
        } finally {
            lock.unlock();
        }
        try {
            return sessions.fromNode(line.node(), line.id(), wait);
        } finally {
            lock.lock();
            try {
                waiting.remove(key, one);
            } finally {
                lock.unlock();
            }
        }
    }

    /** The head's end, likewise. */
    public Outcome fromHead(String node, String id, Duration wait) throws InterruptedException {
        return sessions.fromHead(node, id, null, wait);
    }

    /** Lines whose node waits, {@code NODE JOB ATTEMPT NAME ID} each; waits for one. What nobody came for is told again. */
    public String wanted(Duration wait) throws InterruptedException {
        lock.lock();
        try {
            long left = wait.toNanos();
            while (true) {
                long now = System.nanoTime();
                String text = waiting.values().stream()
                        .filter(one -> now - one.takenNanos >= AGAIN_NANOS)
                        .limit(AT_ONCE)
                        .map(one -> taken(one, now))
                        .collect(Collectors.joining());
                if (!text.isEmpty() || left <= 0) {
                    return text;
                }
                left = more.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private static String taken(Waiting one, long now) {
        one.takenNanos = now;
        return one.line.text();
    }
}
