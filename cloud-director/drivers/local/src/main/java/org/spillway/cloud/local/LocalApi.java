package org.spillway.cloud.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.spillway.policy.LaunchOutcome.Reason;

/** Calls a local-cloud. A call ends in one of four ways: done, refused in words, never sent, or nobody knows. */
final class LocalApi implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final ObjectMapper JSON = new ObjectMapper();
    private final LocalSettings settings;

    LocalApi(LocalSettings settings) {
        this.settings = settings;
    }

    /** How a call ended. */
    sealed interface Result {
        record Done(JsonNode body) implements Result {}

        /** The provider said that it did nothing. */
        record Refused(Reason reason, String message) implements Result {}

        /** No connection, so that nothing was sent. */
        record Unsent(String message) implements Result {}

        /** Sent, and then silence or noise. */
        record Unclear(String message) implements Result {}
    }

    LocalSettings settings() {
        return settings;
    }

    /** Starts the local-cloud of {@code state} when nothing listens there; such a call was not sent and is made once more. */
    Result call(String method, String path, Object body) {
        Result first = once(method, path, body);
        Path state = settings.state();
        if (first instanceof Result.Unsent && state != null) {
            try {
                LocalCloudStarter.start(state, settings.config());
            } catch (IOException cannotStart) {
                return new Result.Unsent("local-cloud could not be started: " + cannotStart.getMessage());
            }
            return once(method, path, body);
        }
        return first;
    }

    /** The same without starting anything. */
    Result once(String method, String path, Object body) {
        String endpoint;
        String token;
        try {
            endpoint = endpoint();
        } catch (IOException unknown) {
            return new Result.Unsent("no endpoint: " + unknown.getMessage());
        }
        try {
            token = Files.readString(settings.tokenFile()).strip();
        } catch (IOException unreadable) {
            return settings.state() != null
                    ? new Result.Unsent("no token yet: " + unreadable.getMessage())
                    : new Result.Refused(Reason.CREDENTIALS, "token file cannot be read: " + unreadable.getMessage());
        }
        // A new connection each time: on one that was kept, a close by the other side looks like a lost answer.
        try (HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_TIMEOUT)
                .build()) {
            try {
                return send(client, endpoint, token, method, path, JSON.writeValueAsString(body));
            } finally {
                client.shutdownNow();
            }
        } catch (JsonProcessingException bad) {
            return new Result.Refused(Reason.INVALID, "request cannot be written: " + bad.getOriginalMessage());
        }
    }

    private Result send(HttpClient client, String endpoint, String token, String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + endpoint + path))
                .timeout(settings.timeout())
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            // The request's own limit ends with the headers; a body may stall after them.
            HttpResponse<String> response = client.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                    .get(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
            return read(response.statusCode(), response.body());
        } catch (TimeoutException late) {
            return new Result.Unclear("no whole answer from " + endpoint + " in time");
        } catch (ExecutionException failed) {
            Throwable lost = failed.getCause();
            return lost instanceof ConnectException || lost instanceof HttpConnectTimeoutException
                    ? new Result.Unsent("endpoint " + endpoint + " not reached")
                    : new Result.Unclear("no answer from " + endpoint + ": " + lost);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return new Result.Unclear("interrupted while waiting for " + endpoint);
        }
    }

    private static Result read(int status, String text) {
        JsonNode body;
        try {
            body = JSON.readTree(text);
        } catch (JsonProcessingException bad) {
            return new Result.Unclear("answer " + status + " cannot be read");
        }
        if (status == 200 && body.isObject()) {
            return new Result.Done(body);
        }
        String message = body.path("error").path("message").asText("");
        String code = body.path("error").path("code").asText("");
        if (status >= 400 && status < 500) {
            if (code.equals("IdempotentParameterMismatch")) {
                return new Result.Refused(Reason.INVALID, code + ": " + message);
            }
            for (Reason reason : Reason.values()) {
                if (reason.name().equals(code)) {
                    return new Result.Refused(reason, message);
                }
            }
        }
        return new Result.Unclear("answer " + status + " " + code + ": " + message);
    }

    private String endpoint() throws IOException {
        Path state = settings.state();
        if (state == null) {
            return settings.endpoint();
        }
        String text = Files.readString(state.resolve("endpoint")).strip();
        int space = text.indexOf(' ');
        return space < 0 ? text : text.substring(0, space);
    }

    @Override
    public void close() {
        // Connections end with their calls, and the local-cloud lives on.
    }
}
