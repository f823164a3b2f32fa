package org.spillway.localcloud;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.spillway.cloud.CloudDriverContract;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Planted;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.OfferingId;

/** A real local-cloud on a directory, for tests; ended with its instances, each by its pid. */
public final class LocalCloudProcess implements AutoCloseable {
    public static final Duration PATIENCE = Duration.ofMinutes(3);
    /** A Java machine starts, while others build. */
    private static final Duration START_PATIENCE = Duration.ofMinutes(3);

    private static final ObjectMapper JSON = new ObjectMapper();
    private final Path state;
    private final Path config;
    private final List<String> more;
    private final HttpClient client = HttpClient.newHttpClient();
    private Process process;

    private LocalCloudProcess(Path state, Path config, List<String> more) {
        this.state = state;
        this.config = config;
        this.more = List.copyOf(more);
    }

    /** @param yaml its configuration; empty for the built-in one */
    public static LocalCloudProcess start(Path directory, String yaml) throws Exception {
        return start(directory, yaml, "");
    }

    /** As strict as documents are. @param api that it wears, such as {@code ec2}; empty for none */
    public static LocalCloudProcess start(Path directory, String yaml, String api) throws Exception {
        Path config = yaml.isEmpty() ? null : Files.writeString(directory.resolve("local-cloud.yaml"), yaml);
        LocalCloudProcess cloud = new LocalCloudProcess(
                directory.resolve("cloud"),
                config,
                api.isEmpty() ? List.of() : List.of("--api", api, "--strict-as-published"));
        cloud.start();
        return cloud;
    }

    /** The words of a launch of one small machine on demand; whoever asks may change them. */
    static Map<String, Object> launchBody(String token, String userData) {
        Map<String, Object> body = new HashMap<>();
        body.put("token", token);
        body.put("zone", "a");
        body.put("type", "small");
        body.put("market", "ON_DEMAND");
        body.put("count", 1);
        body.put("image", "");
        body.put("userData", userData);
        body.put("tags", Map.of("a", "b"));
        return body;
    }

    /** An instance as the administrator's state shows it. */
    JsonNode instance(String id) throws Exception {
        for (JsonNode each : json("GET", "/admin/state", Map.of()).path("instances")) {
            if (each.path("id").asText().equals(id)) {
                return each;
            }
        }
        throw new AssertionError("no " + id);
    }

    public void start() throws Exception {
        Files.deleteIfExists(state.resolve("endpoint"));
        // A file: a pipe that nobody empties would stop it at its 64th KiB.
        Path said = state.resolveSibling(state.getFileName() + ".log");
        process = command(state, config, more).redirectOutput(said.toFile()).start();
        await(START_PATIENCE, () -> Files.exists(state.resolve("endpoint")) || !process.isAlive(), done -> done);
        if (!process.isAlive()) {
            throw new IOException("ended with " + process.exitValue() + ": " + Files.readString(said));
        }
    }

    static Process launch(Path state, Path config) throws IOException {
        return command(state, config, List.of()).start();
    }

    private static ProcessBuilder command(Path state, Path config, List<String> more) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "org.spillway.localcloud.LocalCloudMain",
                "--state",
                state.toString()));
        if (config != null) {
            command.addAll(List.of("--config", config.toString()));
        }
        command.addAll(more);
        return new ProcessBuilder(command).redirectErrorStream(true);
    }

    public Path state() {
        return state;
    }

    public String endpoint() throws IOException {
        return Files.readString(state.resolve("endpoint")).split(" ", -1)[0];
    }

    /** Of the API that it wears, such as {@code http://127.0.0.1:4566}. */
    public String apiEndpoint() throws IOException {
        return Files.readString(state.resolve("api-endpoint")).strip();
    }

    public void fault(Map<String, Object> fault) throws Exception {
        HttpResponse<String> answer = call("POST", "/admin/faults", fault);
        if (answer.statusCode() != 200) {
            throw new IOException(answer.body());
        }
    }

    /** The same bad luck, whatever API is worn. */
    public void arrange(CloudDriverContract.Luck luck) throws Exception {
        fault(
                switch (luck) {
                    case CloudDriverContract.Luck.Refuse(Reason reason) -> Map.of("kind", "refuse", "reason", reason);
                    case CloudDriverContract.Luck.Short(OfferingId offering) ->
                        Map.of("kind", "refuse", "reason", Reason.CAPACITY, "type", offering.instanceType());
                    case CloudDriverContract.Luck.FailsLater() -> Map.of("kind", "fails-later");
                    case CloudDriverContract.Luck.Partial(int count) -> Map.of("kind", "partial", "instances", count);
                    case CloudDriverContract.Luck.LostAnswer() -> Map.of("kind", "lost");
                    case CloudDriverContract.Luck.SlowAnswer() -> Map.of("kind", "slow", "seconds", 1.5);
                    case CloudDriverContract.Luck.LateListing(Duration time) ->
                        Map.of("kind", "late-listing", "seconds", time.toMillis() / 1000.0);
                    case CloudDriverContract.Luck.FailingListing() -> Map.of("kind", "listing-fails");
                    case CloudDriverContract.Luck.RefusedListing(Reason reason) ->
                        Map.of("kind", "listing-refused", "reason", reason);
                    case CloudDriverContract.Luck.RepeatedPage() -> Map.of("kind", "repeated-page");
                    case CloudDriverContract.Luck.LyingListing(var lie) ->
                        Map.of("kind", "listing-" + lie.name().toLowerCase(Locale.ROOT), "seconds", 600);
                    case CloudDriverContract.Luck.OddConsole(boolean torn) ->
                        Map.of("kind", torn ? "console-torn" : "console-empty");
                    case CloudDriverContract.Luck.Skew(Duration ahead) ->
                        Map.of("kind", "skew", "seconds", ahead.toSeconds(), "count", 1000);
                });
    }

    /** Leaves an instance that bears a cluster's mark and no intent's, as a person can make it. */
    public Planted plantPaper(String cluster) throws Exception {
        Map<String, Object> launch = Map.of(
                "token", "planted-" + cluster,
                "zone", "a",
                "type", "paper",
                "market", "ON_DEMAND",
                "count", 1,
                "image", "",
                "userData", "",
                "tags", Map.of(Instance.TAG_CLUSTER, cluster, Instance.TAG_SITE, "here"));
        return new Planted(
                "instance",
                json("POST", "/v1/launch", launch).at("/instances/0/id").asText());
    }

    /** From now on its account is broken so, and else as it should be. */
    public void breakAccount(String... kinds) throws Exception {
        HttpResponse<String> answer = call("POST", "/admin/broken", Map.of("kinds", List.of(kinds)));
        if (answer.statusCode() != 200) {
            throw new IOException(answer.body());
        }
    }

    public void clearFaults() throws Exception {
        call("DELETE", "/admin/faults", Map.of());
    }

    public HttpResponse<String> call(String method, String path, Object body) throws Exception {
        return call(method, path, body, Files.readString(state.resolve("token")).strip());
    }

    HttpResponse<String> call(String method, String path, Object body, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + endpoint() + path))
                .timeout(PATIENCE)
                .method(method, HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    JsonNode json(String method, String path, Object body) throws Exception {
        return JSON.readTree(call(method, path, body).body());
    }

    public static <T> T await(Callable<T> look, Predicate<T> good) throws Exception {
        return await(PATIENCE, look, good);
    }

    private static <T> T await(Duration patience, Callable<T> look, Predicate<T> good) throws Exception {
        long deadline = System.nanoTime() + patience.toNanos();
        T seen = look.call();
        while (!good.test(seen)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("still " + seen);
            }
            Thread.sleep(10);
            seen = look.call();
        }
        return seen;
    }

    void kill() throws Exception {
        process.destroyForcibly().waitFor(180, TimeUnit.SECONDS);
    }

    /** SIGTERM. @return its exit code */
    int stop() throws Exception {
        process.destroy();
        if (!process.waitFor(180, TimeUnit.SECONDS)) {
            throw new AssertionError("does not stop");
        }
        return process.exitValue();
    }

    @Override
    public void close() throws Exception {
        try {
            if (!process.isAlive()) {
                start();
            }
            List<String> ids = new ArrayList<>();
            json("GET", "/admin/state", Map.of())
                    .path("instances")
                    .forEach(i -> ids.add(i.path("id").asText()));
            call("POST", "/v1/terminate", Map.of("ids", ids));
            await(() -> json("GET", "/admin/state", Map.of()).path("instances"), all -> {
                List<String> states = new ArrayList<>();
                all.forEach(i -> states.add(i.path("state").asText()));
                return states.stream().allMatch("TERMINATED"::equals);
            });
        } finally {
            process.destroy();
            if (!process.waitFor(180, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            client.close();
        }
    }
}
