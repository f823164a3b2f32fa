package org.spillway.head.serving;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.spillway.head.serving.ConnectionBook.Phase;

/**
 * Keeps a server's connections within a {@link ConnectionBook}: tells it what happens, and closes what it says. Jetty's own
 * idle time counts from the last byte, so that a peer that trickles never reaches it, and its limit of connections accepts
 * no more where it is reached, an administrator's neither.
 */
public final class ServedConnections implements Connection.Listener, AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(250);

    private final ConnectionBook<EndPoint> book;
    private final Function<EndPoint, String> first;
    private final Function<EndPoint, Optional<Owner>> later;
    private final CountDownLatch ending = new CountDownLatch(1);

    /** @param trusted no bounds hold for it */
    public record Owner(String name, boolean trusted) {}

    /**
     * Begins to look at times.
     *
     * @param first whose a new connection is as far as that is known at once
     * @param later whose it is, where that takes a while to find out; empty for no more than that
     */
    public ServedConnections(
            ConnectionBook.Bounds bounds, Function<EndPoint, String> first, Function<EndPoint, Optional<Owner>> later) {
        this.book = new ConnectionBook<>(bounds);
        this.first = first;
        this.later = later;
        Thread.ofVirtual().name("connections").start(this::watch);
    }

    @Override
    public void onOpened(Connection connection) {
        EndPoint peer = connection.getEndPoint();
        close(book.opened(peer, first.apply(peer), System.nanoTime()));
        Thread.ofVirtual().name("connection").start(() -> later.apply(peer).ifPresent(owner -> owned(peer, owner)));
    }

    @Override
    public void onClosed(Connection connection) {
        book.closed(connection.getEndPoint());
    }

    /** A request's headers are here. */
    public void begun(Request request) {
        EndPoint peer = peer(request);
        book.is(peer, Phase.READING, System.nanoTime());
        Request.addCompletionListener(request, failure -> book.is(peer, Phase.WAITING, System.nanoTime()));
    }

    /** A request has gone on. */
    public void is(EndPoint peer, Phase phase) {
        book.is(peer, phase, System.nanoTime());
    }

    /** The owner is known. */
    public void owned(EndPoint peer, Owner owner) {
        close(book.owned(peer, owner.name(), owner.trusted()));
    }

    public static EndPoint peer(Request request) {
        return request.getConnectionMetaData().getConnection().getEndPoint();
    }

    /** How many there are that are not trusted. */
    public int count() {
        return book.count();
    }

    private void watch() {
        try {
            while (!ending.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
                close(book.overdue(System.nanoTime()));
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(List<EndPoint> peers) {
        peers.forEach(peer -> peer.close(new TimeoutException("others need the connection's place")));
    }

    /** Looks no more. */
    @Override
    public void close() {
        ending.countDown();
    }
}
