package org.spillway.head.web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Debian's Chromium, driven by the W3C WebDriver protocol through a {@code chromedriver} that this starts and ends. Few
 * commands, so few that a library would be more than they are.
 */
public final class Browser implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");
    private static final int ATTEMPTS = 10;
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final Process driver;
    private final String base;
    private String session = "";

    private Browser(Process driver, int port) {
        this.driver = driver;
        this.base = "http://127.0.0.1:" + port;
    }

    public static boolean isInstalled() {
        return Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
    }

    /** @param profile an empty directory */
    public static Browser start(Path profile) throws IOException {
        // The driver chooses a port on ::1 and wants the same on 127.0.0.1, which may be somebody's: then it ends.
        for (int attempt = 1; ; attempt++) {
            try {
                return startOnce(profile);
            } catch (IOException failed) {
                if (attempt == ATTEMPTS || !String.valueOf(failed.getMessage()).contains("Address already in use")) {
                    throw failed;
                }
            }
        }
    }

    private static Browser startOnce(Path profile) throws IOException {
        var process = new ProcessBuilder(DRIVER.toString(), "--port=0")
                .redirectErrorStream(true)
                .start();
        try {
            var browser = new Browser(process, port(process));
            browser.begin(profile);
            return browser;
        } catch (IOException | RuntimeException failed) {
            end(process);
            throw failed;
        }
    }

    private static int port(Process process) throws IOException {
        var lines = new ArrayList<String>();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (var line = out.readLine(); line != null; line = out.readLine()) {
            var match = STARTED.matcher(line);
            if (match.find()) {
                return Integer.parseInt(match.group(1));
            }
            lines.add(line);
        }
        throw new IOException("chromedriver did not start: " + lines);
    }

    private void begin(Path profile) throws IOException {
        // Without a sandbox, since tests run as root too; it shows nothing but our own pages.
        var arguments = List.of(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--no-proxy-server",
                "--lang=en",
                "--user-data-dir=" + profile);
        var options = Map.of("binary", CHROMIUM.toString(), "args", arguments);
        var wanted = Map.of(
                "browserName", "chrome", "goog:chromeOptions", options, "goog:loggingPrefs", Map.of("browser", "ALL"));
        var made = send("POST", "/session", Map.of("capabilities", Map.of("alwaysMatch", wanted)));
        session = "/session/" + made.path("sessionId").asText();
    }

    /** Leaves the page, and forgets every cookie and whatever the console got. */
    void forget() throws IOException {
        open("about:blank");
        tool("Network.clearBrowserCookies", Map.of());
        dark(false);
        complaints();
    }

    public void open(String address) throws IOException {
        send("POST", session + "/url", Map.of("url", address));
    }

    public String address() throws IOException {
        return send("GET", session + "/url", null).asText();
    }

    /** The result of the script. */
    public JsonNode run(String script) throws IOException {
        return send("POST", session + "/execute/sync", Map.of("script", script, "args", List.of()));
    }

    /** Presses the element with a real click at its middle. */
    void click(String selector) throws IOException {
        send("POST", element(selector) + "/click", Map.of());
    }

    /** Types into the element. */
    void type(String selector, String text) throws IOException {
        send("POST", element(selector) + "/value", Map.of("text", text));
    }

    private String element(String selector) throws IOException {
        var found = send("POST", session + "/element", Map.of("using", "css selector", "value", selector));
        return session + "/element/"
                + found.properties().iterator().next().getValue().asText();
    }

    /** The size of what is inside the window, smaller than a window can be. */
    void size(int width, int height) throws IOException {
        tool(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    void dark(boolean dark) throws IOException {
        var feature = Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light");
        tool("Emulation.setEmulatedMedia", Map.of("features", List.of(feature)));
    }

    /** The whole page: the window is made as high as it, and no scroll bar takes from its width. */
    public void picture(Path file) throws IOException {
        int width = run("return innerWidth").asInt();
        int height = run("return innerHeight").asInt();
        size(width, run("return document.documentElement.scrollHeight").asInt());
        var taken = tool("Page.captureScreenshot", Map.of("format", "png"));
        size(width, height);
        Files.createDirectories(file.getParent());
        Files.write(file, Base64.getDecoder().decode(taken.path("data").asText()));
    }

    /** The console's warnings and errors since the last call. */
    public List<String> complaints() throws IOException {
        var complaints = new ArrayList<String>();
        for (var entry : send("POST", session + "/se/log", Map.of("type", "browser"))) {
            if (Stream.of("WARNING", "SEVERE").anyMatch(entry.path("level").asText()::equals)) {
                complaints.add(entry.path("message").asText());
            }
        }
        return complaints;
    }

    private JsonNode tool(String command, Map<String, ?> parameters) throws IOException {
        return send("POST", session + "/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
    }

    private JsonNode send(String method, String path, Object body) throws IOException {
        var publisher = body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body));
        var request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .method(method, publisher)
                .build();
        try {
            var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            var value = JSON.readTree(answer.body()).path("value");
            if (answer.statusCode() != 200) {
                throw new IOException(path + ": " + value.path("error").asText() + ": "
                        + value.path("message").asText());
            }
            return value;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            send("DELETE", session, null);
        } finally {
            http.close();
            end(driver);
        }
    }

    /** The driver and whatever browser it has left. */
    private static void end(Process driver) {
        var children = driver.descendants().toList();
        driver.destroy();
        try {
            if (!driver.waitFor(180, TimeUnit.SECONDS)) {
                driver.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroyForcibly);
    }
}
