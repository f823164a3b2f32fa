package org.spillway.proof.demo;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.spillway.api.Json;

/** A site's local cloud, asked by its own API and not by way of the head. */
record LocalCloudAccess(String site, Path state) implements ProviderAccess {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(3))
            .build();

    /** The provider's words about one instance. @param role {@code NODE} or {@code DIRECTOR} */
    record Machine(String id, String type, String role, String state, String address) {
        boolean hasEnded() {
            return state.equals("TERMINATED");
        }

        boolean isEnding() {
            return state.equals("TERMINATING");
        }

        boolean runs() {
            return state.equals("RUNNING");
        }
    }

    /** All that it has, and for a minute what has ended. None before the cloud was started. */
    @Override
    public List<Machine> machines() throws IOException {
        if (!Files.exists(state.resolve("endpoint"))) {
            return List.of();
        }
        List<Machine> machines = new ArrayList<>();
        for (JsonNode one : call("GET", "/admin/state", Map.of()).path("instances")) {
            machines.add(new Machine(
                    one.path("id").asText(),
                    one.path("type").asText(),
                    one.path("tags").path("spillway-role").asText(),
                    one.path("state").asText(),
                    one.path("address").asText()));
        }
        return machines;
    }

    void cutPower(String instance) throws IOException {
        call("POST", "/admin/power-cut", Map.of("id", instance));
    }

    void giveNotice(String instance, int seconds) throws IOException {
        call("POST", "/admin/notice", Map.of("id", instance, "seconds", seconds));
    }

    /** Nothing can be had there any more. */
    void sellOut() throws IOException {
        call("POST", "/admin/faults", Map.of("kind", "refuse", "reason", "capacity", "count", 100_000));
    }

    void sellAgain() throws IOException {
        call("DELETE", "/admin/faults", Map.of());
    }

    void cutLink(String instance, double seconds) throws IOException {
        call("POST", "/admin/link-cut", Map.of("id", instance, "seconds", seconds));
    }

    void terminate(List<String> instances) throws IOException {
        call("POST", "/v1/terminate", Map.of("ids", instances, "tags", Map.of()));
    }

    /** The instance's process, if it runs; a number that another process got since does not count. */
    OptionalLong pid() {
        try {
            long pid = Long.parseLong(endpoint()[1]);
            String words = Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1);
            return words.contains(state.toString()) ? OptionalLong.of(pid) : OptionalLong.empty();
        } catch (IOException | RuntimeException gone) {
            return OptionalLong.empty();
        }
    }

    /** The files of an instance's disk. */
    Path disk(String instance) {
        return state.resolve("instances").resolve(instance);
    }

    private String[] endpoint() throws IOException {
        return Files.readString(state.resolve("endpoint")).strip().split(" ", -1);
    }

    private JsonNode call(String method, String path, Object body) throws IOException {
        var request = HttpRequest.newBuilder(URI.create("http://" + endpoint()[0] + path))
                .timeout(LIMIT)
                .header(
                        "Authorization",
                        "Bearer " + Files.readString(state.resolve("token")).strip())
                .method(method, HttpRequest.BodyPublishers.ofString(Json.write(body)))
                .build();
        try {
            var answer = HTTP.send(request, HttpResponse.BodyHandlers.ofByteArray());
            JsonNode tree = Json.tree(answer.body());
            if (answer.statusCode() != 200) {
                throw new IOException("the cloud of " + site + " refused " + path + ": "
                        + tree.path("error").path("message").asText());
            }
            return tree;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking the cloud of " + site, stop);
        }
    }
}
