package org.spillway.localcloud;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves one front on the loopback interface and logs every request. */
final class FrontServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FrontServer.class);
    private static final int MAX_BODY_BYTES = 4 << 20;
    private final CloudBehind cloud;
    private final ApiFront front;
    private final RequestLog log;
    private final HttpServer server;
    private final String endpoint;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private FrontServer(CloudBehind cloud, ApiFront front, RequestLog log, HttpServer server, String endpoint) {
        this.cloud = cloud;
        this.front = front;
        this.log = log;
        this.server = server;
        this.endpoint = endpoint;
    }

    /** @param port 0 for any */
    static FrontServer start(CloudBehind cloud, ApiFront front, RequestLog log, int port) throws IOException {
        InetSocketAddress place = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port);
        SSLContext tls = front.tls(cloud);
        HttpServer server;
        if (tls == null) {
            server = HttpServer.create(place, 0);
        } else {
            HttpsServer secure = HttpsServer.create(place, 0);
            secure.setHttpsConfigurator(new HttpsConfigurator(tls));
            server = secure;
        }
        String endpoint = (tls == null ? "http" : "https") + "://127.0.0.1:"
                + server.getAddress().getPort();
        FrontServer serving = new FrontServer(cloud, front, log, server, endpoint);
        front.open(cloud, endpoint);
        server.setExecutor(serving.threads);
        server.createContext("/", serving::handle);
        server.start();
        return serving;
    }

    String endpoint() {
        return endpoint;
    }

    private void handle(HttpExchange exchange) throws IOException {
        long begin = System.nanoTime();
        try (exchange) {
            FrontReply reply = reply(exchange);
            String note = reply.status() + " " + reply.note();
            if (reply.fault().isPresent()) {
                Fault fault = reply.fault().get();
                note += " " + fault.kind();
                if (fault.kind() == Fault.Kind.LOST) {
                    log.write(cloud.now(), exchange, note, begin);
                    return;
                }
                Thread.sleep(Duration.ofMillis((long) (fault.seconds() * 1000)));
            }
            log.write(cloud.now(), exchange, note, begin);
            reply.headers().forEach(exchange.getResponseHeaders()::set);
            boolean empty = reply.body().length == 0;
            exchange.sendResponseHeaders(reply.status(), empty ? -1 : reply.body().length);
            if (!empty) {
                exchange.getResponseBody().write(reply.body());
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private FrontReply reply(HttpExchange exchange) {
        try {
            byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
            if (body.length > MAX_BODY_BYTES) {
                return FrontReply.of(413, "text/plain", "too large", "too large");
            }
            Map<String, List<String>> headers = new HashMap<>();
            exchange.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
            String query = exchange.getRequestURI().getRawQuery();
            FrontRequest request = new FrontRequest(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().getPath(),
                    query == null ? "" : query,
                    headers,
                    body);
            String action = front.action(request);
            java.util.Optional<Fault> published =
                    action.isEmpty() ? none() : cloud.strikes(Fault.Kind.ANSWER, action, "");
            return published.isPresent()
                    ? front.published(request, published.get(), cloud.now())
                    : front.answer(request);
        } catch (IOException | RuntimeException failed) {
            LOG.warn(
                    "{} {}: ",
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().getPath(),
                    failed);
            byte[] text = failed.toString().getBytes(StandardCharsets.UTF_8);
            return new FrontReply(500, Map.of("Content-Type", "text/plain"), text, failed.toString(), none());
        }
    }

    private static java.util.Optional<Fault> none() {
        return java.util.Optional.empty();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
