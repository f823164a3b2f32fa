package org.spillway.cloud.openstack;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Stands between a driver and real services, for what those cannot be asked to do: lose an answer, be slow, be throttled.
 * Everything else goes through as it is; the catalogue is rewritten so that every service is called through here.
 */
final class CuttingProxy implements AutoCloseable {
    private static final Set<String> HOP = Set.of("host", "connection", "content-length", "date", "transfer-encoding");
    private final String behind;
    private final HttpServer server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Rule> rules = new CopyOnWriteArrayList<>();

    /** @param path with its query, as the service gets it */
    record Asked(String method, String path, Map<String, String> headers, String body) {
        boolean launches() {
            return method.equals("POST") && path.endsWith("/servers");
        }

        boolean logsIn() {
            return path.endsWith("/auth/tokens");
        }

        boolean lists() {
            return path.contains("/servers/detail");
        }

        Asked with(String otherBody) {
            return new Asked(method, path, headers, otherBody);
        }

        Asked with(String header, String value) {
            Map<String, String> other = new HashMap<>(headers);
            other.put(header, value);
            return new Asked(method, path, other, body);
        }
    }

    record Answer(int status, Map<String, String> headers, String body) {
        static Answer of(int status, String message) {
            return new Answer(
                    status,
                    Map.of("content-type", "application/json"),
                    "{\"error\": {\"message\": \"" + message + "\"}}");
        }

        Answer with(String otherBody) {
            return new Answer(status, headers, otherBody);
        }
    }

    /** Sends a request on. */
    interface Way {
        Answer on(Asked asked) throws IOException, InterruptedException;
    }

    /** @return what becomes of a request: empty to leave it alone */
    interface Rule {
        Optional<Fate> of(Asked asked, Way way) throws IOException, InterruptedException;
    }

    /** How a request ends. */
    sealed interface Fate {
        record Answered(Answer answer) implements Fate {}

        /** The connection is closed without a word. */
        record Dropped() implements Fate {}
    }

    /** @param behind the services' host, such as {@code 127.0.0.9}; they are told apart by their ports */
    CuttingProxy(String behind) throws IOException {
        this.behind = behind;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String keystone() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/5000/v3";
    }

    void add(Rule rule) {
        rules.add(rule);
    }

    /** Of the next request that it is for. */
    void once(Rule rule) {
        rules.add(new Rule() {
            @Override
            public Optional<Fate> of(Asked asked, Way way) throws IOException, InterruptedException {
                Optional<Fate> fate = rule.of(asked, way);
                if (fate.isPresent()) {
                    rules.remove(this);
                }
                return fate;
            }
        });
    }

    void clear() {
        rules.clear();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Map<String, String> headers = new HashMap<>();
            exchange.getRequestHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), values.getFirst()));
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Asked asked = new Asked(
                    exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, body);
            switch (fate(asked)) {
                case Fate.Dropped() -> {
                    // Closed below.
                }
                case Fate.Answered(Answer answer) -> {
                    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
                    answer.headers().forEach(exchange.getResponseHeaders()::set);
                    exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
                    exchange.getResponseBody().write(bytes);
                }
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private Fate fate(Asked asked) throws IOException, InterruptedException {
        for (Rule rule : rules) {
            Optional<Fate> fate = rule.of(asked, this::send);
            if (fate.isPresent()) {
                return fate.get();
            }
        }
        return new Fate.Answered(send(asked));
    }

    private Answer send(Asked asked) throws IOException, InterruptedException {
        String[] parts = asked.path().substring(1).split("/", 2);
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://" + behind + ":" + parts[0] + "/" + parts[1]))
                .method(asked.method(), HttpRequest.BodyPublishers.ofString(asked.body()));
        asked.headers().forEach((name, value) -> {
            if (!HOP.contains(name) && !name.equals("accept-encoding")) {
                request.header(name, value);
            }
        });
        HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        Map<String, String> headers = new HashMap<>();
        response.headers().map().forEach((name, values) -> {
            if (!HOP.contains(name) && !name.startsWith(":")) {
                headers.put(name, values.getFirst());
            }
        });
        String body = asked.logsIn()
                ? response.body()
                        .replaceAll(
                                "http://[0-9.]+:([0-9]+)",
                                "http://127.0.0.1:" + server.getAddress().getPort() + "/$1")
                : response.body();
        return new Answer(response.statusCode(), headers, body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        client.shutdownNow();
    }
}
