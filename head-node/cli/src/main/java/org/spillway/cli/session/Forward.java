package org.spillway.cli.session;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.api.session.Session;
import org.spillway.api.session.SessionRecord;

/** Connections to a port here that become connections to a port or socket in a job. Each is one channel of the session. */
public final class Forward implements Closeable {
    private static final int FIRST_CHANNEL = 16;
    private static final int MOST_CHANNELS = 60_000;
    /** Fewer than the node has. */
    private static final int AT_ONCE = 200;

    private final Session session;
    private final ServerSocketChannel server;
    private final @Nullable Path place;
    private final Target target;
    private final Consumer<String> notices;
    private final AtomicInteger next = new AtomicInteger();
    private final Semaphore places = new Semaphore(AT_ONCE);

    /** Where connections lead to in the job. */
    public sealed interface Target {
        record Port(int number) implements Target {
            @Override
            public String toString() {
                return "port " + number + " of the job";
            }
        }

        /** @param path absolute, as the job sees it */
        record Socket(String path) implements Target {
            @Override
            public String toString() {
                return path + " of the job";
            }
        }
    }

    private Forward(
            Session session,
            ServerSocketChannel server,
            @Nullable Path place,
            Target target,
            Consumer<String> notices) {
        this.session = session;
        this.server = server;
        this.place = place;
        this.target = target;
        this.notices = notices;
    }

    /** @param local 0 for any port */
    public static Forward onPort(Session session, int local, Target target, Consumer<String> notices)
            throws IOException {
        var server = ServerSocketChannel.open(StandardProtocolFamily.INET);
        try {
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(new InetSocketAddress("127.0.0.1", local), 128);
            return new Forward(session, server, null, target, notices).begin();
        } catch (IOException taken) {
            server.close();
            throw taken;
        }
    }

    /** A socket for this user alone. */
    public static Forward onSocket(Session session, Path path, Target target, Consumer<String> notices)
            throws IOException {
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(path), 128);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            return new Forward(session, server, path, target, notices).begin();
        } catch (IOException taken) {
            server.close();
            throw taken;
        }
    }

    /** The local port; 0 for a socket. */
    public int localPort() throws IOException {
        return server.getLocalAddress() instanceof InetSocketAddress address ? address.getPort() : 0;
    }

    private Forward begin() {
        Thread.ofPlatform().daemon().name("forward").start(this::accept);
        return this;
    }

    private void accept() {
        try {
            while (server.isOpen()) {
                SocketChannel client = server.accept();
                if (!LoopbackPeer.isOwn(client)) {
                    notices.accept("a connection of another user was refused");
                    client.close();
                } else if (!places.tryAcquire()) {
                    notices.accept("a connection was refused: there are " + AT_ONCE + " already");
                    client.close();
                } else {
                    Thread.ofVirtual().name("forwarded").start(() -> carry(client));
                }
            }
        } catch (IOException closed) {
            // The port is closed, and the session ends by itself.
            places.drainPermits();
        }
    }

    private void carry(SocketChannel client) {
        int number = FIRST_CHANNEL + next.getAndIncrement() % MOST_CHANNELS;
        try {
            if (client.getLocalAddress() instanceof InetSocketAddress) {
                client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            session.say(
                    switch (target) {
                        case Target.Port port -> SessionRecord.port(number, port.number());
                        case Target.Socket socket -> SessionRecord.socket(number, socket.path());
                    });
            var channel = session.channel(number, Channels.newOutputStream(client), why -> ended(client, why));
            channel.read(Channels.newInputStream(client));
            channel.drained();
            channel.forget();
        } catch (IOException gone) {
            session.say(SessionRecord.of('r', number));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            close(client);
            places.release();
        }
    }

    private void ended(SocketChannel client, String why) {
        try {
            if (why.isEmpty()) {
                client.shutdownOutput();
            } else {
                notices.accept(target + ": " + why);
                client.close();
            }
        } catch (IOException gone) {
            close(client);
        }
    }

    private static void close(Closeable client) {
        try {
            client.close();
        } catch (IOException gone) {
            return; // there is nothing left to close
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        if (place != null) {
            Files.deleteIfExists(place);
        }
    }
}
