package org.spillway.head.rest;

import jakarta.servlet.http.HttpServletRequest;
import java.io.EOFException;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.spillway.head.serving.ConnectionBook.Phase;
import org.spillway.head.serving.ServedConnections;

/** A request from the end of its headers to the last byte of its answer. */
final class Exchange {
    private static final String NAME = Exchange.class.getName();

    private final EndPoint peer;
    private final ServedConnections connections;
    private UserLane.@Nullable Share share;
    private boolean over;

    private Exchange(EndPoint peer, ServedConnections connections) {
        this.peer = peer;
        this.connections = connections;
    }

    /** Begins one: its connection knows of it, and the servlet finds it. */
    static void begin(Request request, ServedConnections connections) {
        connections.begun(request);
        Exchange exchange = new Exchange(ServedConnections.peer(request), connections);
        request.setAttribute(NAME, exchange);
        Request.addCompletionListener(request, failure -> exchange.end());
    }

    static Exchange of(HttpServletRequest request) {
        if (request.getAttribute(NAME) instanceof Exchange exchange) {
            return exchange;
        }
        throw new IllegalStateException("a request that never began");
    }

    SocketChannel channel() {
        return channel(peer);
    }

    static SocketChannel channel(EndPoint peer) {
        if (peer.getTransport() instanceof SocketChannel channel) {
            return channel;
        }
        throw new IllegalStateException("a connection that is no socket channel");
    }

    /** The part of a user's share that it holds until it is over. */
    synchronized void holds(UserLane.Share part) {
        share = part;
        if (over) {
            part.end();
        }
    }

    /** Both directions end, now. */
    void hangUp() {
        peer.close(new EOFException("the other end has gone"));
    }

    /** All of the request is here. */
    void read() {
        connections.is(peer, Phase.ANSWERING);
    }

    /** The answer is on its way. */
    synchronized void writes(int bytes) {
        connections.is(peer, Phase.WRITING);
        if (share != null) {
            share.add(bytes);
        }
    }

    private synchronized void end() {
        over = true;
        if (share != null) {
            share.end();
        }
    }
}
