package org.spillway.head.forward;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.spillway.api.session.Session;
import org.spillway.api.session.SessionChannel;
import org.spillway.api.session.SessionRecord;

/** A job's connection, from its line to the service. */
final class ForwardedConnection {
    private static final int CONNECT_MILLIS = 10_000;
    private static final int PIECE_BYTES = 16 * 1024;

    private final Session session;
    private final int number;
    private final Place place;
    private final CompletableFuture<Socket> service = new CompletableFuture<>();
    private final SessionChannel channel;
    private volatile long activeNanos = System.nanoTime();

    /** The end of a connection. @param host a name or numeric address */
    record Place(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /** By whoever holds the session's lock: bytes of the channel may follow at once. */
    ForwardedConnection(Session session, int number, Place place) {
        this.session = session;
        this.number = number;
        this.place = place;
        this.channel = session.channel(number, new ToService(), this::ended);
    }

    /**
     * Begins to connect, and returns at once.
     *
     * @param over told at the end why it never stood; empty when it did
     */
    void begin(Consumer<String> over) {
        Thread.ofVirtual().name("forwarded to " + place).start(() -> {
            String why = "";
            try {
                why = carry();
            } finally {
                over.accept(why);
            }
        });
    }

    boolean isIdle(Duration most) {
        return System.nanoTime() - activeNanos > most.toNanos();
    }

    /** Ends it at once, and says why to the node. */
    void end(String why) {
        session.say(SessionRecord.over(number, why));
        channel.over(why);
    }

    private String carry() {
        try (Socket socket = new Socket()) {
            try {
                socket.connect(new InetSocketAddress(place.host(), place.port()), CONNECT_MILLIS);
            } catch (IOException away) {
                String why = place + ": " + away.getMessage();
                // The reason goes first: whoever waits to write can only say that it is over.
                end(why);
                service.completeExceptionally(away);
                return why;
            }
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            service.complete(socket);
            session.say(SessionRecord.of('k', number));
            homeward(socket.getInputStream());
            return "";
        } catch (IOException gone) {
            end(place + ": " + gone.getMessage());
            return "";
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return "";
        } finally {
            channel.forget();
        }
    }

    private void homeward(InputStream in) throws IOException, InterruptedException {
        byte[] piece = new byte[PIECE_BYTES];
        for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
            activeNanos = System.nanoTime();
            if (!channel.send(piece, count)) {
                return;
            }
        }
        session.say(SessionRecord.of('e', number));
        channel.drained();
    }

    /** The job sends no more; with a reason, there is no connection any more. */
    private void ended(String why) {
        try {
            Socket socket = service.get();
            if (why.isEmpty()) {
                socket.shutdownOutput();
            } else {
                socket.setSoLinger(true, 0);
                socket.close();
            }
        } catch (IOException | ExecutionException gone) {
            return; // there is nothing left to end
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the service, as its bytes may come before it stands. */
    private final class ToService extends OutputStream {
        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                service.get().getOutputStream().write(bytes, from, length);
                activeNanos = System.nanoTime();
            } catch (ExecutionException away) {
                throw new IOException("the service is away", away);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", stop);
            }
        }
    }
}
