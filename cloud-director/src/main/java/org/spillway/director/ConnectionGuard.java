package org.spillway.director;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The socket that the site reaches. The JDK's HTTP server bounds its connections in all, so that one job could take
 * every place; here each address has its own bound, and bytes go on to the server on the loopback, still encrypted.
 *
 * <p>A connection is a stranger's until a request on it has shown a certificate. A stranger too many takes the place of
 * the oldest stranger from the same address: a job cannot keep the node that it runs on from renewing its lease by
 * holding connections open.
 */
final class ConnectionGuard implements AutoCloseable {
    /** Most connections are a node's that waits for orders: a buffer grows only when it is filled. */
    private static final int FIRST_BUFFER_BYTES = 2 * 1024;

    private static final int LAST_BUFFER_BYTES = 64 * 1024;
    /** How long a client may still send when the server has closed. */
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private static final Duration RETRY = Duration.ofMillis(50);

    private final ServerSocketChannel door;
    private final InetSocketAddress server;
    private final Limits limits;
    private final Map<String, Guests> guests = new HashMap<>();
    /** By the port that the server sees. */
    private final Map<Integer, Guest> seated = new HashMap<>();

    /** @param total over all addresses */
    record Limits(int strangersPerAddress, int connectionsPerAddress, int total) {}

    /** @param port of the connection to the server */
    private record Guest(String address, int port, SocketChannel client) {}

    private static final class Guests {
        final Set<Guest> strangers = new LinkedHashSet<>();
        int count;
    }

    /** Listens; nothing is accepted before {@link #start}. */
    ConnectionGuard(InetSocketAddress listen, InetSocketAddress server, Limits limits) throws IOException {
        this.server = server;
        this.limits = limits;
        this.door = ServerSocketChannel.open();
        door.bind(listen, 512);
    }

    int port() {
        return door.socket().getLocalPort();
    }

    void start() {
        Thread.ofPlatform().daemon().name("connections").start(this::accept);
    }

    /** Who is behind a connection to the server; empty when it did not come through here. */
    synchronized Optional<String> address(InetSocketAddress inside) {
        return Optional.ofNullable(seated.get(inside.getPort())).map(Guest::address);
    }

    /** The other end has shown a certificate of this site. */
    synchronized void known(InetSocketAddress inside) {
        Guest guest = seated.get(inside.getPort());
        Guests all = guest == null ? null : guests.get(guest.address());
        if (all != null) {
            all.strangers.remove(guest);
        }
    }

    private void accept() {
        while (door.isOpen()) {
            try {
                SocketChannel client = door.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                // Closed, or out of descriptors, which those that are served will give back.
                LockSupport.parkNanos(RETRY.toNanos());
            }
        }
    }

    private void serve(SocketChannel client) {
        Guest guest = null;
        try (client;
                SocketChannel inside = SocketChannel.open()) {
            String address =
                    ((InetSocketAddress) client.getRemoteAddress()).getAddress().getHostAddress();
            if (isFull(address)) {
                return;
            }
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            inside.setOption(StandardSocketOptions.TCP_NODELAY, true);
            inside.connect(server);
            guest = new Guest(address, ((InetSocketAddress) inside.getLocalAddress()).getPort(), client);
            if (seat(guest)) {
                carry(client, inside);
            }
        } catch (IOException e) {
            return; // an end that broke off is nothing to tell
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            leave(guest);
        }
    }

    private static void carry(SocketChannel client, SocketChannel inside) throws IOException, InterruptedException {
        Thread forth = Thread.ofVirtual().start(() -> {
            try {
                copy(client, inside);
            } catch (IOException broken) {
                close(inside);
            }
        });
        copy(inside, client);
        forth.join(FAREWELL);
    }

    private static void copy(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(FIRST_BUFFER_BYTES);
        while (from.read(bytes) >= 0) {
            boolean filled = !bytes.hasRemaining();
            bytes.flip();
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
            bytes = filled && bytes.capacity() < LAST_BUFFER_BYTES
                    ? ByteBuffer.allocate(2 * bytes.capacity())
                    : bytes.clear();
        }
        to.shutdownOutput();
    }

    private synchronized boolean isFull(String address) {
        Guests all = guests.get(address);
        return seated.size() >= limits.total() || (all != null && all.count >= limits.connectionsPerAddress());
    }

    private boolean seat(Guest guest) {
        Guest leaves = null;
        synchronized (this) {
            if (!door.isOpen() || isFull(guest.address())) {
                return false;
            }
            Guests all = guests.computeIfAbsent(guest.address(), address -> new Guests());
            all.count++;
            all.strangers.add(guest);
            seated.put(guest.port(), guest);
            if (all.strangers.size() > limits.strangersPerAddress()) {
                leaves = all.strangers.iterator().next();
                all.strangers.remove(leaves);
            }
        }
        if (leaves != null) {
            close(leaves.client());
        }
        return true;
    }

    private synchronized void leave(@Nullable Guest guest) {
        if (guest == null || !seated.remove(guest.port(), guest)) {
            return;
        }
        Guests all = guests.get(guest.address());
        if (all != null) {
            all.strangers.remove(guest);
            all.count--;
            if (all.count == 0) {
                guests.remove(guest.address());
            }
        }
    }

    @Override
    public void close() {
        close(door);
        List<Guest> all;
        synchronized (this) {
            all = List.copyOf(seated.values());
        }
        all.forEach(guest -> close(guest.client()));
    }

    private static void close(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            return; // it is of no further use either way
        }
    }
}
