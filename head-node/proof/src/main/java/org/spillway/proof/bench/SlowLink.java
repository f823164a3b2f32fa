package org.spillway.proof.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A line with a delay and a rate between programs of this machine: whoever connects to one of its gates is led to the
 * address behind it. All connections of all gates share its rate, each way by itself; one connection has at most
 * {@value #IN_FLIGHT_BYTES} bytes on the way, as with Linux's usual buffers. One thread does it all.
 */
final class SlowLink implements AutoCloseable {
    /** Linux's {@code tcp_rmem}: more than that no receiver of one connection announces. */
    static final int IN_FLIGHT_BYTES = 6 << 20;

    private static final int CHUNK_BYTES = 64 * 1024;
    /** A router's queue: beyond that senders wait. */
    private static final long QUEUE_NANOS = 10_000_000;

    private static final int CHUNKS_KEPT = 512;
    private static final double NANOS_PER_SECOND = 1e9;

    private final LinkShape shape;
    private final Selector selector;
    private final Thread thread;
    private final Queue<Runnable> orders = new ConcurrentLinkedQueue<>();
    private final Queue<ServerSocketChannel> gates = new ConcurrentLinkedQueue<>();
    private final Set<Pair> pairs = new HashSet<>();
    private final Deque<ByteBuffer> spare = new ArrayDeque<>();
    private final Way there = new Way();
    private final Way back = new Way();
    private final AtomicLong carried = new AtomicLong();
    private volatile boolean closed;

    /** A direction, which all connections share. */
    private static final class Way {
        long freeAt = System.nanoTime();
    }

    private record Chunk(ByteBuffer bytes, long due) {}

    private SlowLink(LinkShape shape, Selector selector) {
        this.shape = shape;
        this.selector = selector;
        this.thread = Thread.ofPlatform().name("slow-link").daemon().unstarted(this::run);
    }

    static SlowLink start(LinkShape shape) throws IOException {
        var link = new SlowLink(shape, Selector.open());
        link.thread.start();
        return link;
    }

    /**
     * Opens a gate.
     *
     * @param at where it listens; port 0 for any
     * @return where it listens
     */
    InetSocketAddress gate(InetSocketAddress at, InetSocketAddress behind) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(at);
            server.configureBlocking(false);
            orders.add(() -> register(server, behind));
            selector.wakeup();
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
        gates.add(server);
        return (InetSocketAddress) server.getLocalAddress();
    }

    /** Bytes that have gone in, both ways. */
    long carriedBytes() {
        return carried.get();
    }

    private void register(ServerSocketChannel server, InetSocketAddress behind) {
        try {
            server.register(selector, SelectionKey.OP_ACCEPT, behind);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run() {
        try {
            while (!closed) {
                long wait = nextDue(System.nanoTime());
                if (wait > 0) {
                    selector.select(Math.max(1, wait / 1_000_000));
                } else {
                    selector.selectNow();
                }
                for (Runnable order = orders.poll(); order != null; order = orders.poll()) {
                    order.run();
                }
                List<SelectionKey> ready = new ArrayList<>(selector.selectedKeys());
                selector.selectedKeys().clear();
                // No connection comes first always.
                Collections.shuffle(ready);
                for (SelectionKey key : ready) {
                    serve(key);
                }
                long now = System.nanoTime();
                for (Pair pair : List.copyOf(pairs)) {
                    pair.deliver(now);
                }
            }
        } catch (IOException | ClosedSelectorException e) {
            closed = true;
        } finally {
            pairs.forEach(Pair::shut);
        }
    }

    /** Nanoseconds until something is to be done without being asked. */
    private long nextDue(long now) {
        long next = Long.MAX_VALUE;
        for (Pair pair : pairs) {
            next = Math.min(next, Math.min(pair.up.nextDue(now), pair.down.nextDue(now)));
        }
        return next == Long.MAX_VALUE ? 1_000_000_000L : next;
    }

    private void serve(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept(key);
                return;
            }
            Pair pair = (Pair) key.attachment();
            if (key.isConnectable()) {
                pair.connected();
            }
            if (key.isReadable()) {
                (key.equals(pair.nearKey) ? pair.up : pair.down).take();
            }
        } catch (IOException | CancelledKeyException broken) {
            if (key.attachment() instanceof Pair pair) {
                pair.end();
            }
        }
    }

    private void accept(SelectionKey key) throws IOException {
        SocketChannel near = ((ServerSocketChannel) key.channel()).accept();
        if (near == null) {
            return;
        }
        SocketChannel far = SocketChannel.open();
        for (SocketChannel one : List.of(near, far)) {
            one.configureBlocking(false);
            one.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        var pair = new Pair(near, far);
        pairs.add(pair);
        if (far.connect((InetSocketAddress) key.attachment())) {
            pair.connected();
        } else {
            pair.farKey = far.register(selector, SelectionKey.OP_CONNECT, pair);
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (ServerSocketChannel gate : gates) {
            gate.close();
        }
        selector.close();
    }

    /** A connection and the one that goes on behind the gate. */
    private final class Pair {
        private final SocketChannel near;
        private final SocketChannel far;
        private final Flow up;
        private final Flow down;
        private @Nullable SelectionKey nearKey;
        private @Nullable SelectionKey farKey;

        Pair(SocketChannel near, SocketChannel far) {
            this.near = near;
            this.far = far;
            this.up = new Flow(near, far, there);
            this.down = new Flow(far, near, back);
        }

        void connected() throws IOException {
            far.finishConnect();
            nearKey = near.register(selector, SelectionKey.OP_READ, this);
            farKey = far.register(selector, SelectionKey.OP_READ, this);
        }

        void deliver(long now) {
            try {
                up.deliver(now);
                down.deliver(now);
                interest(nearKey, up, down, now);
                interest(farKey, down, up, now);
            } catch (IOException | CancelledKeyException broken) {
                end();
                return;
            }
            if (up.isOver() && down.isOver()) {
                end();
            }
        }

        private void interest(@Nullable SelectionKey key, Flow out, Flow in, long now) {
            if (key != null && key.isValid() && (key.interestOps() & SelectionKey.OP_CONNECT) == 0) {
                int ops = (out.mayTake(now) ? SelectionKey.OP_READ : 0) | (in.isStuck ? SelectionKey.OP_WRITE : 0);
                if (key.interestOps() != ops) {
                    key.interestOps(ops);
                }
            }
        }

        void end() {
            shut();
            pairs.remove(this);
        }

        void shut() {
            try (near;
                    far) {
                up.drop();
                down.drop();
            } catch (IOException gone) {
                up.drop();
            }
        }
    }

    /** A flow is one way of one connection. */
    private final class Flow {
        private final SocketChannel from;
        private final SocketChannel to;
        private final Way way;
        private final Deque<Chunk> chunks = new ArrayDeque<>();
        private long bytes;
        private boolean isStuck;
        private boolean ended;
        private boolean told;

        Flow(SocketChannel from, SocketChannel to, Way way) {
            this.from = from;
            this.to = to;
            this.way = way;
        }

        boolean mayTake(long now) {
            return !ended && bytes < IN_FLIGHT_BYTES && way.freeAt - now < QUEUE_NANOS;
        }

        boolean isOver() {
            return ended && told;
        }

        long nextDue(long now) {
            Chunk first = chunks.peek();
            long due = first == null || isStuck ? Long.MAX_VALUE : Math.max(0, first.due - now);
            boolean isHeldUp = !ended && bytes < IN_FLIGHT_BYTES && way.freeAt - now >= QUEUE_NANOS;
            return isHeldUp ? Math.min(due, way.freeAt - now - QUEUE_NANOS + 1) : due;
        }

        void take() throws IOException {
            long now = System.nanoTime();
            if (!mayTake(now)) {
                return;
            }
            ByteBuffer buffer = spare.isEmpty() ? ByteBuffer.allocateDirect(CHUNK_BYTES) : spare.pop();
            int count = from.read(buffer.clear());
            if (count <= 0) {
                keep(buffer);
                ended = count < 0;
                return;
            }
            carried.addAndGet(count);
            way.freeAt = Math.max(way.freeAt, now) + Math.round(count * NANOS_PER_SECOND / shape.bytesPerSecond());
            bytes += count;
            chunks.add(new Chunk(buffer.flip(), way.freeAt + shape.delay().toNanos() / 2));
        }

        void deliver(long now) throws IOException {
            isStuck = false;
            for (Chunk first = chunks.peek(); first != null && first.due <= now; first = chunks.peek()) {
                bytes -= to.write(first.bytes);
                if (first.bytes.hasRemaining()) {
                    isStuck = true;
                    return;
                }
                keep(chunks.remove().bytes);
            }
            if (ended && chunks.isEmpty() && !told) {
                told = true;
                to.shutdownOutput();
            }
        }

        private void keep(ByteBuffer buffer) {
            if (spare.size() < CHUNKS_KEPT) {
                spare.push(buffer);
            }
        }

        void drop() {
            chunks.forEach(chunk -> keep(chunk.bytes));
            chunks.clear();
            ended = true;
        }
    }
}
