package org.spillway.api.session;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A session with a job's node, over connections that break and are made again. Bytes of each channel are bounded at both ends:
 * whoever sends waits for its reader, and not for the line. Safe for several threads.
 */
public final class Session implements AutoCloseable {
    /** Bytes of a channel that its reader has not taken. The node counts with the same. */
    static final int WINDOW_BYTES = 128 * 1024;

    private static final int AT_ONCE_BYTES = 64 * 1024;

    private final Wire wire;
    private final Times times;
    private final Opened openings;
    final ReentrantLock lock = new ReentrantLock();
    final Condition changed = lock.newCondition();
    private final ResumedStream stream = new ResumedStream(new RecordReader(this::heard));
    private final Map<Integer, SessionChannel> channels = new ConcurrentHashMap<>();
    private @Nullable Connection connection;
    /** Which of the connections is the current one. */
    private int opened;

    private @Nullable Exit exit;
    private @Nullable RuntimeException failure;
    private long heardNanos = System.nanoTime();
    private long saidNanos = System.nanoTime();
    private long metNanos = System.nanoTime();
    private boolean everMet;
    private String trouble = "";
    private boolean closed;

    /** How a connection to the node is had. */
    public interface Wire {
        /**
         * A new one.
         *
         * @throws IOException if there is none now, and one may be had later
         * @throws RuntimeException if there will be none
         */
        Connection open() throws IOException;
    }

    /** An end for which the other one opens channels. Called under the session's lock: waits for nothing. */
    public interface Opened {
        void channel(int number, int port);
    }

    /** A connection. */
    public interface Connection extends Closeable {
        InputStream in();

        OutputStream out();
    }

    /**
     * How long things take.
     *
     * @param ping between signs of life
     * @param silence without one, after which a connection is given up
     * @param retry between attempts to connect
     * @param patience without a connection, after which the session is given up
     */
    public record Times(Duration ping, Duration silence, Duration retry, Duration patience) {
        public static final Times USUAL = new Times(
                Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofMillis(300), Duration.ofMinutes(10));
    }

    /**
     * The end of the command.
     *
     * @param code 0 to 255
     * @param why empty where the command itself has said all
     */
    public record Exit(int code, String why) {}

    public Session(Wire wire, Times times) {
        this(wire, times, (number, port) -> {
            throw new SessionFault("a record of no kind");
        });
    }

    /** @param openings of the other end */
    public Session(Wire wire, Times times, Opened openings) {
        this.wire = wire;
        this.times = times;
        this.openings = openings;
    }

    /** Connects, and goes on to do so until the end. */
    public Session start() {
        Thread.ofVirtual().name("session").start(this::connect);
        return this;
    }

    /** Bytes from the node go to {@code out}, and {@code ended} is told of their end or why there are none. */
    public SessionChannel channel(int number, OutputStream out, Consumer<String> ended) {
        SessionChannel made = new SessionChannel(this, number, out, ended);
        channels.put(number, made);
        Thread.ofVirtual().name("session-channel").start(made::pour);
        return made;
    }

    /** Says this to the other end, on this connection or the next. */
    public void say(SessionRecord record) {
        lock.lock();
        try {
            stream.say(record.bytes());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #say}, by whoever holds the lock. */
    void append(SessionRecord record) {
        stream.say(record.bytes());
        changed.signalAll();
    }

    /** By whoever holds the lock: nothing of that channel is of any use any more. */
    boolean isOver(SessionChannel channel) {
        return exit != null || failure != null || closed || !channels.containsValue(channel);
    }

    void forget(int number, SessionChannel channel) {
        channels.remove(number, channel);
    }

    /** How long there has been no connection to the node; zero while there is one. */
    public Duration away() {
        lock.lock();
        try {
            return stream.isMet() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - metNanos);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the node has answered for the first time.
     *
     * @return whether it has, within that time
     * @throws RuntimeException as {@link #end}
     */
    public boolean met(Duration time) throws InterruptedException {
        lock.lock();
        try {
            long left = time.toNanos();
            while (!everMet && exit == null && left > 0) {
                failed();
                left = changed.awaitNanos(left);
            }
            return everMet;
        } finally {
            lock.unlock();
        }
    }

    /** Why there was no connection, the last time that there was none. */
    public String trouble() {
        lock.lock();
        try {
            return trouble;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the end, and until all that came before it is written.
     *
     * @throws RuntimeException of the wire, or where the other end has forgotten the session
     */
    public Exit end() throws InterruptedException {
        Exit found;
        lock.lock();
        try {
            while (exit == null) {
                failed();
                changed.await();
            }
            found = exit;
        } finally {
            lock.unlock();
        }
        for (SessionChannel channel : channels.values()) {
            channel.drained();
        }
        return found;
    }

    private void failed() {
        if (failure != null) {
            throw failure;
        }
        if (closed) {
            throw new SessionFault("it was left");
        }
    }

    private void heard(SessionRecord record) {
        SessionChannel channel = channels.get(record.channel());
        switch (record.kind()) {
            case 'd' -> Optional.ofNullable(channel).ifPresent(one -> one.add(record.body()));
            case 'e' -> Optional.ofNullable(channel).ifPresent(one -> one.last(""));
            case 'r' -> Optional.ofNullable(channel).ifPresent(one -> one.last(record.text(0)));
            case 'c' -> Optional.ofNullable(channel).ifPresent(one -> one.granted(record.number()));
            case 'k' -> {
                // Bytes may have been sent before; the node kept them.
            }
            case 'n' -> openings.channel(record.channel(), record.port());
            case 'h' -> throw new SessionFault("it was left");
            case 'x' -> {
                if (record.body().length < 1) {
                    throw new SessionFault("an end without a code");
                }
                exit = new Exit(record.body()[0] & 0xff, record.text(1));
                channels.values().forEach(one -> one.last(""));
            }
            default -> throw new SessionFault("a record of no kind");
        }
        changed.signalAll();
    }

    private void connect() {
        try {
            while (goesOn()) {
                Connection next;
                try {
                    next = wire.open();
                } catch (IOException away) {
                    heard(away);
                    pause();
                    continue;
                }
                carry(next);
                pause();
            }
        } catch (RuntimeException over) {
            fail(over);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void heard(IOException away) {
        lock.lock();
        try {
            trouble = String.valueOf(away.getMessage());
        } finally {
            lock.unlock();
        }
    }

    /** Whether it is not over. @throws SessionFault after {@code patience} without a connection */
    public boolean goesOn() {
        lock.lock();
        try {
            if (System.nanoTime() - metNanos > times.patience().toNanos()) {
                throw new SessionFault(
                        "there was no connection for " + times.patience().toSeconds() + " s");
            }
            return !closed && failure == null && exit == null;
        } finally {
            lock.unlock();
        }
    }

    private void pause() throws InterruptedException {
        lock.lock();
        try {
            long left = times.retry().toNanos();
            while (left > 0 && !closed) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private void fail(RuntimeException why) {
        lock.lock();
        try {
            failure = failure == null ? why : failure;
            channels.values().forEach(one -> one.last("the session is over"));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Until it breaks. */
    private void carry(Connection next) throws InterruptedException {
        int its;
        lock.lock();
        try {
            its = ++opened;
            connection = next;
            stream.connected();
            heardNanos = System.nanoTime();
        } finally {
            lock.unlock();
        }
        Thread writer = Thread.ofVirtual().name("session-writer").start(() -> write(next, its));
        try {
            byte[] piece = new byte[AT_ONCE_BYTES];
            for (int count = next.in().read(piece);
                    count >= 0;
                    count = next.in().read(piece)) {
                hear(piece, count);
            }
        } catch (IOException cut) {
            // Both ends say how far they had read when they meet again.
            lock.lock();
            try {
                stream.cut();
            } finally {
                lock.unlock();
            }
        } finally {
            lock.lock();
            try {
                stream.cut();
                connection = null;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            close(next);
            writer.join();
        }
    }

    private void hear(byte[] piece, int count) {
        lock.lock();
        try {
            heardNanos = System.nanoTime();
            metNanos = heardNanos;
            stream.heard(piece, count);
            everMet |= stream.isMet();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void write(Connection to, int its) {
        try {
            for (byte[] frames = frames(to, its); frames.length > 0; frames = frames(to, its)) {
                to.out().write(frames);
                to.out().flush();
            }
        } catch (IOException cut) {
            close(to);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for something to say; empty when this connection is over. */
    private byte[] frames(Connection to, int its) throws InterruptedException {
        lock.lock();
        try {
            while (connection != null && opened == its) {
                long now = System.nanoTime();
                if (now - heardNanos > times.silence().toNanos()) {
                    close(to);
                    return new byte[0];
                }
                if (now - saidNanos > times.ping().toNanos()) {
                    stream.ping();
                }
                byte[] frames = stream.next(AT_ONCE_BYTES);
                if (frames.length > 0) {
                    saidNanos = now;
                    return frames;
                }
                if (closed) {
                    close(to);
                    return frames;
                }
                if (changed.awaitNanos(times.ping().toNanos() / 4) < 0) {
                    changed.signalAll();
                }
            }
            return new byte[0];
        } finally {
            lock.unlock();
        }
    }

    private static void close(Closeable connection) {
        try {
            connection.close();
        } catch (IOException gone) {
            return; // there is nothing left to close
        }
    }

    /** Says that nobody is here any more, and that the command is to end. Waits a moment for that to leave. */
    public void leave() {
        say(SessionRecord.of('h', 0));
        close();
    }

    /** Goes as soon as what was said has left, within two seconds. What runs in the session goes on until the node ends it. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            long left = TimeUnit.SECONDS.toNanos(2);
            while (connection != null && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (connection != null) {
                close(connection);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
