package org.spillway.proof.endtoend;

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
import java.util.List;
import java.util.Set;

/** The test's own access to the local-cloud that a head started. */
record LocalCloudAdmin(Path state) {
    private static final Set<String> ENDED = Set.of("TERMINATED");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** The provider's own truth of one instance. */
    record Machine(String id, String type, String state, String intent, String role) {
        boolean isLive() {
            return !ENDED.contains(state);
        }
    }

    boolean exists() {
        return Files.exists(state.resolve("endpoint")) && Files.exists(state.resolve("token"));
    }

    /** Ended ones too, for a minute. */
    List<Machine> machines() {
        List<Machine> machines = new ArrayList<>();
        for (JsonNode one : call("GET", "/admin/state", "").path("instances")) {
            machines.add(new Machine(
                    one.path("id").asText(),
                    one.path("type").asText(),
                    one.path("state").asText(),
                    one.path("tags").path("spillway-intent").asText(),
                    one.path("tags").path("spillway-role").asText()));
        }
        return machines;
    }

    List<Machine> live() {
        return machines().stream().filter(Machine::isLive).toList();
    }

    void fault(String json) {
        call("POST", "/admin/faults", json);
    }

    void cutPower(String instance) {
        call("POST", "/admin/power-cut", "{\"id\":\"" + instance + "\"}");
    }

    String token() throws IOException {
        return Files.readString(state.resolve("token")).strip();
    }

    long pid() throws IOException {
        return Long.parseLong(endpoint()[1]);
    }

    private String[] endpoint() throws IOException {
        return Files.readString(state.resolve("endpoint")).strip().split(" ");
    }

    private JsonNode call(String method, String path, String body) {
        try {
            var request = HttpRequest.newBuilder(URI.create("http://" + endpoint()[0] + path))
                    .timeout(Duration.ofSeconds(20))
                    .header("Authorization", "Bearer " + token())
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .build();
            var answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(path + ": " + answer.body());
            }
            return JSON.readTree(answer.body());
        } catch (IOException e) {
            throw new IllegalStateException(path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(path, e);
        }
    }
}
