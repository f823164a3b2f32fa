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
import java.util.HashSet;
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

    private final ServerSocketChannel listener;
    private final InetSocketAddress server;
    private final Limits limits;
    private final Map<String, Guests> guests = new HashMap<>();
    /** By the port that the server sees. */
    private final Map<Integer, Guest> seated = new HashMap<>();

    private int present;

    /** @param total over all addresses */
    record Limits(int strangersPerAddress, int connectionsPerAddress, int total) {}

    private static final class Guest {
        final String address;
        final SocketChannel client;
        /** Of the connection to the server; 0 before there is one. */
        int port;

        Guest(String address, SocketChannel client) {
            this.address = address;
            this.client = client;
        }
    }

    private static final class Guests {
        final Set<Guest> strangers = new LinkedHashSet<>();
        final Set<Guest> everybody = new HashSet<>();
    }

    /** Listens; nothing is accepted before {@link #start}. */
    ConnectionGuard(InetSocketAddress listen, InetSocketAddress server, Limits limits) throws IOException {
        this.server = server;
        this.limits = limits;
        this.listener = ServerSocketChannel.open();
        listener.bind(listen, 512);
    }

    int port() {
        return listener.socket().getLocalPort();
    }

    void start() {
        Thread.ofPlatform().daemon().name("connections").start(this::accept);
    }

    /** Who is behind a connection to the server; empty when it did not come through here. */
    synchronized Optional<String> address(InetSocketAddress inside) {
        return Optional.ofNullable(seated.get(inside.getPort())).map(guest -> guest.address);
    }

    /** The other end has shown a certificate of this site. */
    synchronized void known(InetSocketAddress inside) {
        Guest guest = seated.get(inside.getPort());
        Guests all = guest == null ? null : guests.get(guest.address);
        if (all != null) {
            all.strangers.remove(guest);
        }
    }

    /** Places are given here, one by one: the oldest stranger is the one that came first, not the one served first. */
    private void accept() {
        while (listener.isOpen()) {
            try {
                SocketChannel client = listener.accept();
                Guest guest = enter(client);
                if (guest == null) {
                    close(client);
                } else {
                    Thread.ofVirtual().start(() -> serve(guest));
                }
            } catch (IOException e) {
                // Closed, or out of descriptors, which those that are served will give back.
                LockSupport.parkNanos(RETRY.toNanos());
            }
        }
    }

    private void serve(Guest guest) {
        try (SocketChannel client = guest.client;
                SocketChannel inside = SocketChannel.open()) {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            inside.setOption(StandardSocketOptions.TCP_NODELAY, true);
            inside.connect(server);
            seat(guest, ((InetSocketAddress) inside.getLocalAddress()).getPort());
            carry(client, inside);
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

    /** Null when there is no place. */
    private @Nullable Guest enter(SocketChannel client) {
        String address;
        try {
            address =
                    ((InetSocketAddress) client.getRemoteAddress()).getAddress().getHostAddress();
        } catch (IOException e) {
            return null; // it has gone again
        }
        Guest guest = new Guest(address, client);
        Guest leaves = null;
        synchronized (this) {
            Guests all = guests.get(address);
            if (!listener.isOpen()
                    || present >= limits.total()
                    || (all != null && all.everybody.size() >= limits.connectionsPerAddress())) {
                return null;
            }
            if (all == null) {
                all = new Guests();
                guests.put(address, all);
            }
            present++;
            all.strangers.add(guest);
            all.everybody.add(guest);
            if (all.strangers.size() > limits.strangersPerAddress()) {
                leaves = all.strangers.iterator().next();
                all.strangers.remove(leaves);
            }
        }
        if (leaves != null) {
            close(leaves.client);
        }
        return guest;
    }

    private synchronized void seat(Guest guest, int port) {
        guest.port = port;
        seated.put(port, guest);
    }

    private synchronized void leave(Guest guest) {
        seated.remove(guest.port, guest);
        Guests all = guests.get(guest.address);
        if (all == null || !all.everybody.remove(guest)) {
            return;
        }
        all.strangers.remove(guest);
        present--;
        if (all.everybody.isEmpty()) {
            guests.remove(guest.address);
        }
    }

    @Override
    public void close() {
        close(listener);
        List<Guest> all;
        synchronized (this) {
            all = guests.values().stream()
                    .flatMap(some -> some.everybody.stream())
                    .toList();
        }
        all.forEach(guest -> close(guest.client));
    }

    private static void close(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            return; // it is of no further use either way
        }
    }
}
