package org.spillway.head.ondemand.broker;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.auth.x500.X500Principal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.delegated.Wire;
import org.spillway.cloud.delegated.WireText;
import org.spillway.head.ondemand.Allowance;
import org.spillway.head.ondemand.Allowances;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * HTTPS on loopback. Nobody comes in without a certificate of this head's authority; what the caller may do is said by
 * its token, which is good with its own certificate only.
 */
final class BrokerServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerServer.class);
    private static final String BEARER = "Bearer ";
    private static final int LONGEST_TOKEN = 512;
    /** Of one child: its head has a few calls at a time. */
    private static final int MOST_AT_ONCE = 64;

    private static final int MAX_CONNECTIONS = 1024;
    private static final int SLOWEST_REQUEST_SECONDS = 60;

    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final ConcurrentMap<String, Semaphore> turns = new ConcurrentHashMap<>();
    private final Allowances allowances;
    private final ChildRequests requests;
    private final InstantSource clock;

    BrokerServer(SSLContext tls, Allowances allowances, ChildRequests requests, InstantSource clock)
            throws IOException {
        this.allowances = allowances;
        this.requests = requests;
        this.clock = clock;
        limits();
        this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 128);
        server.setHttpsConfigurator(new NeedingCertificates(tls));
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** The JDK's server reads its limits from system properties, once. What a process has set already stays. */
    private static void limits() {
        setIfAbsent("jdk.httpserver.maxConnections", MAX_CONNECTIONS);
        setIfAbsent("sun.net.httpserver.maxReqTime", SLOWEST_REQUEST_SECONDS);
    }

    private static void setIfAbsent(String name, int value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, Integer.toString(value));
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** A status with its body. */
    private record Answer(int status, Wire.Body body) {
        static Answer refused(int status, Reason reason, String message) {
            return new Answer(status, new Wire.Refusal(Wire.SCHEMA, reason.name(), message));
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        Instant receivedAt = clock.instant();
        try (exchange) {
            Optional<Answer> answer = answer((HttpsExchange) exchange, receivedAt);
            byte[] text = answer.map(one -> WireText.write(one.body())).orElse(new byte[0]);
            // A refused request may not have been read to its end: the connection is of no further use.
            exchange.getResponseHeaders().set("Connection", "close");
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.map(Answer::status).orElse(503), text.length == 0 ? -1 : text.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(text);
            }
        }
    }

    /** @return empty when it is not known what was done: the caller must not take that for a refusal */
    private Optional<Answer> answer(HttpsExchange exchange, Instant receivedAt) throws IOException {
        if (!exchange.getRequestMethod().equals("POST")) {
            return Optional.of(Answer.refused(405, Reason.INVALID, "POST only"));
        }
        String header = exchange.getRequestHeaders().getFirst("Authorization");
        if (header == null || !header.startsWith(BEARER) || header.length() > LONGEST_TOKEN) {
            return Optional.of(Answer.refused(401, Reason.CREDENTIALS, "a child's token is needed"));
        }
        X509Certificate certificate = certificate(exchange);
        String token = sha256(header.substring(BEARER.length()).strip().getBytes(StandardCharsets.UTF_8));
        String fingerprint = fingerprint(certificate);
        Supplier<Optional<Allowance>> allowed = () -> allowances.find(token, fingerprint);
        Optional<Allowance> found = allowed.get();
        if (found.isEmpty()) {
            LOG.warn(
                    "a token that is not known, or not with this certificate: {}",
                    certificate.getSubjectX500Principal());
            return Optional.of(Answer.refused(
                    401, Reason.CREDENTIALS, "this token is not known, or was given to another certificate"));
        }
        Allowance allowance = found.get();
        if (!certificate.getSubjectX500Principal().equals(new X500Principal("CN=cluster:" + allowance.cluster()))) {
            return Optional.of(Answer.refused(
                    403, Reason.CREDENTIALS, "this certificate is not that of cluster " + allowance.cluster()));
        }
        if (allowance.isOver(receivedAt)) {
            return Optional.of(Answer.refused(
                    403,
                    Reason.QUOTA,
                    "the time of cluster " + allowance.cluster() + " was over at " + allowance.expires()));
        }
        return inTurn(exchange, allowance, allowed, receivedAt);
    }

    private Optional<Answer> inTurn(
            HttpsExchange exchange, Allowance allowance, Supplier<Optional<Allowance>> allowed, Instant receivedAt)
            throws IOException {
        Semaphore turn = turns.computeIfAbsent(allowance.cluster(), cluster -> new Semaphore(MOST_AT_ONCE));
        if (!turn.tryAcquire()) {
            return Optional.of(Answer.refused(
                    429, Reason.THROTTLED, "cluster " + allowance.cluster() + " has too many calls under way"));
        }
        try {
            byte[] body = exchange.getRequestBody().readNBytes(Wire.MAX_REQUEST_BYTES + 1);
            if (body.length > Wire.MAX_REQUEST_BYTES) {
                return Optional.of(Answer.refused(
                        413, Reason.INVALID, "the request is over " + Wire.MAX_REQUEST_BYTES + " bytes"));
            }
            String path = exchange.getRequestURI().getPath();
            return Optional.of(requests.answer(path, body, allowance, allowed, receivedAt)
                    .map(answer -> new Answer(200, answer))
                    .orElseGet(() -> Answer.refused(404, Reason.INVALID, "there is no such call")));
        } catch (CloudException refused) {
            return Optional.of(Answer.refused(409, refused.reason(), String.valueOf(refused.getMessage())));
        } catch (WireText.Malformed | IllegalArgumentException bad) {
            return Optional.of(Answer.refused(400, Reason.INVALID, String.valueOf(bad.getMessage())));
        } catch (RuntimeException broken) {
            LOG.warn("a call of cluster {} could not be finished", allowance.cluster(), broken);
            return Optional.empty();
        } finally {
            turn.release();
        }
    }

    private static X509Certificate certificate(HttpsExchange exchange) throws SSLPeerUnverifiedException {
        Certificate[] chain = exchange.getSSLSession().getPeerCertificates();
        return (X509Certificate) chain[0];
    }

    private static String fingerprint(X509Certificate certificate) throws IOException {
        try {
            return sha256(certificate.getEncoded());
        } catch (GeneralSecurityException unreadable) {
            throw new IOException(unreadable);
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    /** Without a certificate of our authority the handshake fails. */
    private static final class NeedingCertificates extends HttpsConfigurator {
        NeedingCertificates(SSLContext tls) {
            super(tls);
        }

        @Override
        public void configure(HttpsParameters parameters) {
            SSLParameters settings = getSSLContext().getDefaultSSLParameters();
            settings.setProtocols(new String[] {"TLSv1.3"});
            settings.setNeedClientAuth(true);
            parameters.setSSLParameters(settings);
        }
    }
}
