package org.spillway.cloud.delegated;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/** Calls the parent's broker. A call ends in one of four ways: done, refused in words, never sent, or nobody knows. */
final class ParentApi {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final int OK = 200;
    /** Longer than allowed is a failure, and no answer. */
    private static final HttpResponse.BodyHandler<byte[]> WHOLE =
            HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), Wire.MAX_ANSWER_BYTES);

    private final DelegatedSettings settings;

    ParentApi(DelegatedSettings settings) {
        this.settings = settings;
    }

    /** How a call ended. */
    sealed interface Result<T> {
        record Done<T>(T body) implements Result<T> {}

        /** The parent said that it did nothing; or would have, had it let us in. */
        record Refused<T>(Reason reason, String message) implements Result<T> {}

        /** No connection, so that nothing was sent. */
        record Unsent<T>(String message) implements Result<T> {}

        /** Sent, and then silence or noise. */
        record Unclear<T>(String message) implements Result<T> {}
    }

    DelegatedSettings settings() {
        return settings;
    }

    <T extends Wire.Body> Result<T> call(String path, Wire.Body body, Class<T> answer) {
        SSLContext tls;
        String token;
        try {
            tls = ParentTls.context(settings);
            token = Files.readString(settings.tokenFile()).strip();
        } catch (IOException unusable) {
            return new Result.Refused<>(Reason.CREDENTIALS, "the child's own files: " + unusable.getMessage());
        }
        if (!token.matches("[A-Za-z0-9._~+/=-]{16,512}")) {
            return new Result.Refused<>(Reason.CREDENTIALS, settings.tokenFile() + " holds no token");
        }
        byte[] text = WireText.write(body);
        if (text.length > Wire.MAX_REQUEST_BYTES) {
            return new Result.Refused<>(
                    Reason.INVALID, "the request is over " + Wire.MAX_REQUEST_BYTES + " bytes and was not sent");
        }
        // A new connection each time: on one that was kept, a close by the other side looks like a lost answer.
        try (HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT_TIMEOUT)
                .sslContext(tls)
                .build()) {
            try {
                return send(client, token, path, text, answer);
            } finally {
                client.shutdownNow();
            }
        }
    }

    private <T extends Wire.Body> Result<T> send(
            HttpClient client, String token, String path, byte[] text, Class<T> answer) {
        HttpRequest request = HttpRequest.newBuilder(settings.endpoint().resolve(path))
                .timeout(settings.timeout())
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(text))
                .build();
        String where = settings.endpoint().getAuthority();
        try {
            // The request's own limit ends with the headers; a body may stall after them.
            HttpResponse<byte[]> response =
                    client.sendAsync(request, WHOLE).get(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
            return read(response.statusCode(), response.body(), answer);
        } catch (TimeoutException late) {
            return new Result.Unclear<>("no whole answer from the parent at " + where + " in time");
        } catch (ExecutionException failed) {
            return lost(failed.getCause(), where);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return new Result.Unclear<>("interrupted while waiting for the parent at " + where);
        }
    }

    private static <T> Result<T> lost(@Nullable Throwable cause, String where) {
        return switch (cause) {
            case null -> new Result.Unclear<>("no answer from the parent at " + where);
            case ConnectException refused -> new Result.Unsent<>("the parent at " + where + " is not reached");
            case HttpConnectTimeoutException silent ->
                new Result.Unsent<>("the parent at " + where + " is not reached");
            // Without a handshake at both ends no request is read.
            case SSLHandshakeException stranger ->
                new Result.Refused<>(
                        Reason.CREDENTIALS,
                        "no TLS with the parent at " + where + ": " + String.valueOf(stranger.getMessage()));
            default -> new Result.Unclear<>("no answer from the parent at " + where + ": " + cause);
        };
    }

    private static <T extends Wire.Body> Result<T> read(int status, byte[] text, Class<T> answer) {
        try {
            if (status == OK) {
                return new Result.Done<>(WireText.read(text, answer));
            }
            if (status >= 400 && status < 500) {
                Wire.Refusal refusal = WireText.read(text, Wire.Refusal.class);
                return new Result.Refused<>(Reason.valueOf(refusal.reason()), refusal.message());
            }
            return new Result.Unclear<>("the parent's answer " + status);
        } catch (WireText.Malformed | IllegalArgumentException noise) {
            return new Result.Unclear<>("the parent's answer " + status + " cannot be read: " + noise.getMessage());
        }
    }

    static <T> T done(Result<T> result) throws CloudException {
        return switch (result) {
            case Result.Done<T>(T body) -> body;
            case Result.Refused<T>(Reason reason, String message) -> throw new CloudException(reason, message);
            case Result.Unsent<T>(String message) -> throw new CloudException(Reason.THROTTLED, message);
            case Result.Unclear<T>(String message) -> throw new CloudException(Reason.THROTTLED, message);
        };
    }
}
