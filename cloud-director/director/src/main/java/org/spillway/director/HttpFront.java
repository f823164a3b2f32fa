package org.spillway.director;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTPS server. Who a caller is decides what it may ask; the path alone opens nothing. */
final class HttpFront implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpFront.class);
    private static final int MAX_CONNECTIONS = 4096;
    private static final ConnectionGuard.Limits LIMITS = new ConnectionGuard.Limits(64, 512, MAX_CONNECTIONS);
    /** A caller that may be anyone, or that sends little, must be done by then. */
    private static final int SMALL_REQUEST_SECONDS = 40;

    private static final int LARGEST_TRANSFER_SECONDS = 6 * 3600;
    /** Bytes of an answer that ends with its connection. */
    private static final long ENDLESS = 1L << 60;

    /** The JDK's own limit of a request; ours are shorter, and a job reads from home, or has a session, for as long as it runs. */
    private static final int LONGEST_SECONDS = 366 * 24 * 3600;

    private static final Pattern LARGE =
            Pattern.compile("/v1/jobs/.*/(input|results|layer)|/v1/ahead/.*/input|/v1/image/.*");
    private static final int MAX_JOIN_BYTES = 32 * 1024;

    private final HttpsServer server;
    private final ConnectionGuard guard;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService alarm = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().factory());
    private final String headSubject;
    private final HeadSide head;
    private final NodeSide nodes;
    private final JoinDesk joins;
    private final StagingSpace staging;
    private final InstantSource steady;

    HttpFront(
            InetSocketAddress listen,
            SSLContext tls,
            String headSubject,
            HeadSide head,
            NodeSide nodes,
            JoinDesk joins,
            StagingSpace staging,
            InstantSource steady)
            throws IOException {
        this.headSubject = headSubject;
        this.head = head;
        this.nodes = nodes;
        this.joins = joins;
        this.staging = staging;
        this.steady = steady;
        limits();
        this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 512);
        this.guard = new ConnectionGuard(listen, server.getAddress(), LIMITS);
        server.setHttpsConfigurator(new WantingCertificates(tls));
        server.setExecutor(threads);
        server.createContext("/", this::handle);
    }

    /** The JDK's server reads its limits from system properties, once. */
    private static void limits() {
        System.setProperty("jdk.httpserver.maxConnections", Integer.toString(MAX_CONNECTIONS));
        System.setProperty("sun.net.httpserver.maxReqTime", Integer.toString(LONGEST_SECONDS));
        System.setProperty("sun.net.httpserver.maxRspTime", Integer.toString(LONGEST_SECONDS));
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    void start() {
        server.start();
        guard.start();
    }

    int port() {
        return guard.port();
    }

    private void handle(HttpExchange exchange) throws IOException {
        Request request = Request.of(
                (HttpsExchange) exchange,
                guard.address(exchange.getRemoteAddress()).orElse(""));
        Thread worker = Thread.currentThread();
        boolean file = LARGE.matcher(request.path()).matches();
        var overdue = alarm.schedule(
                worker::interrupt, file ? LARGEST_TRANSFER_SECONDS : SMALL_REQUEST_SECONDS, TimeUnit.SECONDS);
        try (exchange) {
            send(exchange, answer(request), overdue);
        } catch (InterruptedException e) {
            worker.interrupt();
        } finally {
            overdue.cancel(false);
        }
    }

    private Answer answer(Request request) throws InterruptedException {
        try {
            if (request.address().isEmpty()) {
                return Answer.error(403, "this is not the way in");
            }
            String caller = request.caller().orElse("");
            if (!caller.isEmpty()) {
                guard.known(request.exchange().getRemoteAddress());
            }
            if (request.path().equals("/v1/join")) {
                return request.method().equals("POST") ? join(request) : Answer.error(405, "POST only");
            }
            if (caller.equals(headSubject)) {
                return head.answer(request);
            }
            if (request.path().equals("/v1/sync")) {
                return Answer.error(403, "only the head may do this");
            }
            return caller.startsWith(NodeSide.SUBJECT_PREFIX)
                    ? nodes.answer(caller.substring(NodeSide.SUBJECT_PREFIX.length()), request)
                    : Answer.error(401, "a node's certificate is needed");
        } catch (Request.TooLarge e) {
            return Answer.error(413, "too large");
        } catch (IllegalArgumentException e) {
            return Answer.error(400, "malformed");
        } catch (IOException e) {
            LOG.warn("{} {} from {}: {}", request.method(), request.path(), request.address(), e.toString());
            return Answer.error(500, "the director could not do it");
        }
    }

    private Answer join(Request request) throws IOException {
        String token = request.header("Authorization").orElse("");
        if (!token.startsWith("Bearer ")) {
            return Answer.error(401, "a join token is needed");
        }
        var form = Request.form(request.body(MAX_JOIN_BYTES));
        JoinDesk.Answer answer = joins.ask(
                token.substring("Bearer ".length()).strip(),
                form.getOrDefault("intent", ""),
                form.getOrDefault("instance", ""),
                form.getOrDefault("csr", ""),
                request.address(),
                steady.instant());
        return switch (answer) {
            case JoinDesk.Answer.Wait ignored -> Answer.text(202, "wait\n");
            case JoinDesk.Answer.Certificate(String pem) -> Answer.ok(pem);
            case JoinDesk.Answer.Refused(String reason) -> Answer.error(403, reason);
            case JoinDesk.Answer.UnknownToken ignored -> Answer.error(401, "this token is not known (yet)");
            case JoinDesk.Answer.Full ignored -> Answer.error(429, "too many are waiting to join");
            case JoinDesk.Answer.Malformed(String reason) -> Answer.error(400, reason);
        };
    }

    private void send(HttpExchange exchange, Answer answer, Future<?> overdue)
            throws IOException, InterruptedException {
        switch (answer) {
            case Answer.Text text -> {
                if (text.status() >= 400) {
                    // A refused request may not have been read to its end: the connection is of no further use.
                    exchange.getResponseHeaders().set("Connection", "close");
                }
                exchange.sendResponseHeaders(text.status(), text.body().length == 0 ? -1 : text.body().length);
                try (OutputStream body = exchange.getResponseBody()) {
                    body.write(text.body());
                }
            }
            case Answer.Piece(LogShelf.Piece piece) -> {
                exchange.getResponseHeaders().set("X-From", Long.toString(piece.from()));
                exchange.getResponseHeaders().set("X-End", Long.toString(piece.end()));
                exchange.sendResponseHeaders(200, piece.bytes().length == 0 ? -1 : piece.bytes().length);
                try (OutputStream body = exchange.getResponseBody()) {
                    body.write(piece.bytes());
                }
            }
            case Answer.TwoWay(Answer.Carrier carrier) -> {
                overdue.cancel(false);
                carrier.carry(exchange.getRequestBody(), () -> {
                    exchange.sendResponseHeaders(200, ENDLESS);
                    OutputStream body = exchange.getResponseBody();
                    body.flush();
                    return body;
                });
            }
            case Answer.Layer(String key, String base) -> {
                exchange.sendResponseHeaders(200, 0);
                try (OutputStream body = exchange.getResponseBody()) {
                    staging.changes().copy(key, base, body);
                }
            }
            case Answer.Sealed sealed -> {
                exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
                long left = sealed.bytes() - sealed.from();
                if (sealed.from() > 0) {
                    exchange.getResponseHeaders()
                            .set(
                                    "Content-Range",
                                    "bytes " + sealed.from() + "-" + (sealed.bytes() - 1) + "/" + sealed.bytes());
                }
                exchange.sendResponseHeaders(sealed.from() > 0 ? 206 : 200, left == 0 ? -1 : left);
                try (OutputStream body = exchange.getResponseBody()) {
                    staging.copyTo(sealed.key(), sealed.from(), body);
                }
            }
        }
    }

    @Override
    public void close() {
        guard.close();
        server.stop(0);
        threads.shutdownNow();
        alarm.shutdownNow();
    }

    /** A certificate is asked for, and one that the site CA did not sign ends the handshake. */
    private static final class WantingCertificates extends HttpsConfigurator {
        WantingCertificates(SSLContext tls) {
            super(tls);
        }

        @Override
        public void configure(HttpsParameters parameters) {
            SSLParameters settings = getSSLContext().getDefaultSSLParameters();
            settings.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            settings.setWantClientAuth(true);
            parameters.setSSLParameters(settings);
        }
    }
}
