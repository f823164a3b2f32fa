package org.spillway.cloud.transcript;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.RecordedCall;

/**
 * A provider that answers as a transcript says: a call gets the answer of the next one with its method, path and action, of
 * those with the same body if there are any.
 */
public final class ReplayedProvider implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern ACTION = Pattern.compile("(?:^|&)Action=([A-Za-z]+)");
    private static final Set<String> OWN =
            Set.of("date", "content-length", "transfer-encoding", "connection", "server");

    private record Line(String key, String body, int status, JsonNode heard, String answer) {}

    private final HttpServer server;
    private final String scheme;
    private final List<Line> lines = new ArrayList<>();
    private final Set<Integer> used = new LinkedHashSet<>();
    private final Set<String> origins = new LinkedHashSet<>();
    private final Map<String, String> options = new LinkedHashMap<>();
    private final List<Finding> findings = new ArrayList<>();
    private final Cleaner cleaner = new Cleaner(List.of());

    public ReplayedProvider(Path file) throws IOException {
        this(file, null);
    }

    /** @param tls of a provider that is spoken to over TLS only; null for none */
    public ReplayedProvider(Path file, @Nullable SSLContext tls) throws IOException {
        for (String text : Files.readAllLines(file)) {
            JsonNode line = JSON.readTree(text);
            JsonNode call = line.path("exchange");
            if (call.isObject()) {
                URI url = URI.create(call.path("url").asText());
                origins.add(url.getScheme() + "://" + url.getRawAuthority());
                String body = call.path("body").asText();
                lines.add(new Line(
                        key(
                                call.path("method").asText(),
                                url.getPath(),
                                call.path("sent").path("x-amz-target").asText(),
                                body),
                        body,
                        call.path("status").asInt(),
                        call.path("heard"),
                        call.path("answer").asText()));
            }
            line.path("options")
                    .properties()
                    .forEach(each -> options.put(each.getKey(), each.getValue().asText()));
            JsonNode found = line.path("finding");
            if (found.isObject()) {
                findings.add(new Finding(
                        found.path("check").asText(),
                        Verdict.valueOf(found.path("verdict").asText()),
                        found.path("detail").asText(),
                        found.path("repair").asText()));
            }
        }
        InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (tls == null) {
            server = HttpServer.create(here, 0);
        } else {
            HttpsServer secure = HttpsServer.create(here, 0);
            secure.setHttpsConfigurator(new HttpsConfigurator(tls));
            server = secure;
        }
        scheme = tls == null ? "http" : "https";
        server.createContext("/", this::answer);
        server.start();
    }

    /** The site's options as they were, with what is asked for from this provider in the place of {@code endpoints}. */
    public Map<String, String> options(String... endpoints) {
        Map<String, String> own = new LinkedHashMap<>(options);
        for (String each : endpoints) {
            String path = URI.create(options.getOrDefault(each, "")).getRawPath();
            own.put(each, origin() + (path == null ? "" : path));
        }
        return own;
    }

    /** As the transcript has them. */
    public List<Finding> findings() {
        return findings;
    }

    private String origin() {
        return scheme + "://127.0.0.1:" + server.getAddress().getPort();
    }

    private static String key(String method, String path, String target, String body) {
        Matcher action = ACTION.matcher(body);
        return method + " " + (path.isEmpty() ? "/" : path) + " " + target + (action.find() ? action.group(1) : "");
    }

    private synchronized void answer(HttpExchange call) throws IOException {
        String sent = new String(call.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String target = call.getRequestHeaders().getFirst("X-Amz-Target");
        String key = key(call.getRequestMethod(), call.getRequestURI().getPath(), target == null ? "" : target, sent);
        RecordedCall clean = cleaner.clean(new RecordedCall("", "", Map.of(), sent, 0, Map.of(), "", ""));
        int next = next(key, clean.body());
        if (next < 0) {
            send(call, 599, "the transcript has no " + key);
            return;
        }
        used.add(next);
        Line line = lines.get(next);
        line.heard().properties().forEach(header -> {
            if (!OWN.contains(header.getKey())) {
                call.getResponseHeaders()
                        .set(header.getKey(), moved(header.getValue().asText()));
            }
        });
        send(call, line.status(), moved(line.answer()));
    }

    /** The first of these that nobody has had; the last one again when all have been had. */
    private int next(String key, String body) {
        int best = -1;
        for (int i = lines.size() - 1; i >= 0; i--) {
            if (lines.get(i).key().equals(key) && rank(i, body) >= rank(best, body)) {
                best = i;
            }
        }
        return best;
    }

    private int rank(int line, String body) {
        return line < 0 ? -1 : (lines.get(line).body().equals(body) ? 2 : 0) + (used.contains(line) ? 0 : 1);
    }

    private String moved(String text) {
        String moved = text;
        for (String each : origins) {
            moved = moved.replace(each, origin());
        }
        return moved;
    }

    private static void send(HttpExchange call, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        call.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        try (call) {
            if (bytes.length > 0) {
                call.getResponseBody().write(bytes);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
