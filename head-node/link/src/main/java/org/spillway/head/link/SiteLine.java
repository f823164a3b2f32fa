package org.spillway.head.link;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.util.net.SshdSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.WireJson;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.stage.transfer.Transfer;

/** The connections to one director. */
final class SiteLine {
    private static final Logger LOG = LoggerFactory.getLogger(SiteLine.class);
    private static final String LOOPBACK = "127.0.0.1";

    private final DirectorTarget director;
    private final SiteAuthority authority;
    private final DirectorSessions sessions;
    private final LinkTimes times;
    private final IntSupplier directoryProviderPort;
    private final int httpsPort;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Control control;
    private final HomewardLine home;
    private final SiteStreams streams;
    private volatile boolean closed;

    SiteLine(
            DirectorTarget director,
            SiteAuthority authority,
            DirectorSessions sessions,
            LinkTimes times,
            IntSupplier directoryProviderPort,
            int httpsPort) {
        this.director = director;
        this.authority = authority;
        this.sessions = sessions;
        this.times = times;
        this.directoryProviderPort = directoryProviderPort;
        this.httpsPort = httpsPort;
        this.home = new HomewardLine(director.site(), SshDirectorLink.STORE, () -> sessions.open(director));
        this.streams = new SiteStreams(director.site(), SshDirectorLink.STORE, () -> sessions.open(director));
    }

    DirectorTarget director() {
        return director;
    }

    /** The answer, whatever its status. */
    record Answer(int status, byte[] body, HttpHeaders headers) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** @param body in parts, which are sent one behind the other as they are */
    Answer call(String method, String path, byte[]... body) throws LinkDownException {
        Control line = control();
        var request = HttpRequest.newBuilder(URI.create("https://" + LOOPBACK + ":" + line.localPort + path))
                .method(method, publisher(body))
                .header("Content-Type", "application/json")
                .timeout(times.answer())
                .build();
        // The request's own limit ends with the head of the answer; this one covers a body that trickles, too.
        CompletableFuture<HttpResponse<byte[]>> answer =
                line.http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), WireJson.MAX_BYTES));
        try {
            var response = answer.get(times.answer().toMillis(), TimeUnit.MILLISECONDS);
            return new Answer(response.statusCode(), response.body(), response.headers());
        } catch (ExecutionException | TimeoutException e) {
            answer.cancel(true);
            // The next call starts from nothing, so that no half-dead connection is used twice.
            line.close();
            Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
            throw new LinkDownException(
                    "the director of " + director.site() + " on " + director.address() + " does not answer: "
                            + CertificateClock.of(cause, InstantSource.system().instant())
                                    .orElse(cause.toString()),
                    cause);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new LinkDownException("interrupted while waiting for the director of " + director.site(), e);
        }
    }

    private static BodyPublisher publisher(byte[]... parts) {
        BodyPublisher[] all = Stream.of(parts)
                .filter(part -> part.length > 0)
                .map(BodyPublishers::ofByteArray)
                .toArray(BodyPublisher[]::new);
        return all.length == 1 ? all[0] : BodyPublishers.concat(all);
    }

    Socket session(String path) throws LinkDownException, SessionRefused {
        Control line = control();
        try {
            return SessionSocket.open(line.tls, line.localPort, times.connect(), path);
        } catch (IOException away) {
            throw new LinkDownException("site " + director.site() + ": " + away.getMessage(), away);
        }
    }

    int directoryPort() throws LinkDownException {
        return control().directoryPort;
    }

    /** Has a connection made over which questions will go in a moment, and does not wait for it. */
    void prepare() {
        Thread.ofVirtual().name("prepare-line").start(() -> {
            try {
                home.prepare();
            } catch (IOException e) {
                LOG.debug("site {}: {}", director.site(), e.getMessage());
            }
        });
    }

    Transfer staging() throws LinkDownException {
        return locked(() -> {
            home.open();
            return new StreamedTransfer(streams, home);
        });
    }

    /** For good. Does not wait for a call that is connecting: that one fails, or finds itself closed. */
    void close() {
        closed = true;
        Control line = control;
        if (line != null) {
            line.close();
        }
        home.close();
        streams.close();
    }

    private Control control() throws LinkDownException {
        return locked(() -> {
            Control present = control;
            if (present == null || !present.session.isOpen()) {
                if (present != null) {
                    present.close();
                }
                present = connect();
                control = present;
            }
            return present;
        });
    }

    private Control connect() throws IOException {
        var tls = authority.tlsTo(director.node(), director.site());
        ClientSession session = sessions.open(director);
        try {
            var https = session.startLocalPortForwarding(
                    new SshdSocketAddress(LOOPBACK, 0), new SshdSocketAddress(director.inside(), httpsPort));
            int provider = directoryProviderPort.getAsInt();
            int directory = provider == 0
                    ? 0
                    : session.startRemotePortForwarding(
                                    new SshdSocketAddress(LOOPBACK, 0), new SshdSocketAddress(LOOPBACK, provider))
                            .getPort();
            var http = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .sslContext(tls)
                    .connectTimeout(times.connect())
                    .build();
            return new Control(session, https.getPort(), directory, http, tls);
        } catch (IOException | RuntimeException e) {
            session.close(true);
            throw e instanceof IOException known ? known : new IOException("a forward was refused", e);
        }
    }

    private interface Opening<T> {
        T open() throws IOException;
    }

    private <T> T locked(Opening<T> opening) throws LinkDownException {
        try {
            if (!lock.tryLock(times.answer().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new LinkDownException("the link to " + director.site() + " is still being made");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LinkDownException("interrupted while connecting to " + director.site(), e);
        }
        try {
            if (closed) {
                throw new LinkDownException("the director of " + director.site() + " was given up");
            }
            T opened = opening.open();
            if (closed) {
                close();
                throw new LinkDownException("the director of " + director.site() + " was given up");
            }
            return opened;
        } catch (IOException e) {
            throw new LinkDownException("no link to the director of " + director.site() + ": " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    /** A control connection and its forwards. */
    private static final class Control {
        private final ClientSession session;
        private final int localPort;
        private final int directoryPort;
        private final HttpClient http;
        private final SSLContext tls;

        Control(ClientSession session, int localPort, int directoryPort, HttpClient http, SSLContext tls) {
            this.session = session;
            this.localPort = localPort;
            this.directoryPort = directoryPort;
            this.http = http;
            this.tls = tls;
        }

        void close() {
            http.shutdownNow();
            session.close(true);
        }
    }
}
