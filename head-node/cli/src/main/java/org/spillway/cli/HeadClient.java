package org.spillway.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.spillway.api.Json;
import org.spillway.api.session.Session;

/** Asks a head over its socket. */
public final class HeadClient {
    private static final String BASE = "/api/v1";
    private final Path socket;
    private final Wire wire;
    private final String below;

    /** How a question gets to the head. */
    public interface Wire {
        /** @param path with its query, from {@code /api/v1} on */
        Answer ask(String method, String path, Map<String, String> headers, byte[] body) throws IOException;
    }

    public record Answer(int status, byte[] body) {}

    public HeadClient(Path socket) {
        this(socket, (method, path, headers, body) -> SocketHttp.exchange(socket, method, path, headers, body), "");
    }

    private HeadClient(Path socket, Wire wire, String below) {
        this.socket = socket;
        this.wire = wire;
        this.below = below;
    }

    /** A client that needs no socket. */
    public static HeadClient over(Wire wire) {
        return new HeadClient(Path.of(""), wire, "");
    }

    /** A client of paths below another, such as the head of a cluster on demand. */
    HeadClient below(String path) {
        return new HeadClient(socket, wire, path);
    }

    /** An answer's body when the head agreed. @throws CliFailure when it did not, or none answers */
    public byte[] get(String path) {
        return send("GET", path, Map.of(), new byte[0]);
    }

    public byte[] post(String path) {
        return send("POST", path, Map.of(), new byte[0]);
    }

    public byte[] post(String path, Object body) {
        var bytes = Json.write(body).getBytes(StandardCharsets.UTF_8);
        return send("POST", path, Map.of("Content-Type", "application/json"), bytes);
    }

    /** As {@link #post(String, Object)}, of what is JSON already; when the connection breaks, once more. */
    byte[] postJson(String path, byte[] json) {
        var headers = Map.of("Content-Type", "application/json");
        try {
            return ask("POST", path, headers, json);
        } catch (IOException broken) {
            return send("POST", path, headers, json);
        }
    }

    /** The content of a path; empty where the head knows nothing of it. */
    public Optional<byte[]> find(String path) {
        return found(() -> get(path));
    }

    /** As {@link #post(String)}; empty where the head knows nothing of it. */
    public Optional<byte[]> findPost(String path) {
        return found(() -> post(path));
    }

    private static Optional<byte[]> found(Supplier<byte[]> ask) {
        try {
            return Optional.of(ask.get());
        } catch (CliFailure failure) {
            if (failure.isNotFound()) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    /**
     * Sent with a key and, when the connection breaks or the head cannot answer in time, once more: it makes one job all
     * the same.
     */
    public byte[] post(String path, String idempotencyKey, Object body) {
        var bytes = Json.write(body).getBytes(StandardCharsets.UTF_8);
        var headers = Map.of("Idempotency-Key", idempotencyKey, "Content-Type", "application/json");
        try {
            return ask("POST", path, headers, bytes);
        } catch (IOException broken) {
            return send("POST", path, headers, bytes);
        } catch (CliFailure refused) {
            if (refused.mayPass()) {
                return send("POST", path, headers, bytes);
            }
            throw refused;
        }
    }

    public <T> T get(String path, Class<T> type) {
        return read(get(path), type);
    }

    public <T> List<T> list(String path, String field, Class<T> type) {
        return list(get(path), field, type);
    }

    public static <T> List<T> list(byte[] body, String field, Class<T> type) {
        try {
            return Json.list(body, field, type);
        } catch (IOException strange) {
            throw strange(strange);
        }
    }

    public static <T> T read(byte[] body, Class<T> type) {
        try {
            return Json.read(body, type);
        } catch (IOException strange) {
            throw strange(strange);
        }
    }

    private byte[] send(String method, String path, Map<String, String> headers, byte[] body) {
        try {
            return ask(method, path, headers, body);
        } catch (ConnectException dead) {
            throw notReached();
        } catch (SocketException refused) {
            if (String.valueOf(refused.getMessage()).contains("No such file")) {
                throw notReached();
            }
            if (String.valueOf(refused.getMessage()).contains("Permission denied")) {
                throw new CliFailure(
                        CliFailure.NOT_REACHED,
                        "user may not open " + socket,
                        "ask the administrator for a 'socket' outside of the head's state directory");
            }
            throw broken(refused);
        } catch (IOException broken) {
            throw broken(broken);
        }
    }

    private byte[] ask(String method, String path, Map<String, String> headers, byte[] body) throws IOException {
        var answer = wire.ask(method, BASE + below + path, headers, body);
        if (answer.status() >= 200 && answer.status() < 300) {
            return answer.body();
        }
        throw refused(answer);
    }

    /**
     * A stream each way, through the head to a node.
     *
     * @throws IOException if there is none now, and one may be had later
     * @throws CliFailure if there will be none
     */
    Session.Connection stream(String path) throws IOException {
        var opened = SocketHttp.endless(socket, BASE + below + path);
        if (opened.streams() != null) {
            return opened.streams();
        }
        var refused = refused(Objects.requireNonNull(opened.refused()));
        if (refused.mayPass()) {
            throw new IOException(refused.getMessage());
        }
        throw refused;
    }

    private static CliFailure refused(Answer answer) {
        try {
            var error = Json.tree(answer.body()).path("error");
            int exit = answer.status() >= 400 && answer.status() < 500 && answer.status() != 404
                    ? CliFailure.BAD_INPUT
                    : CliFailure.FAILED;
            return new CliFailure(
                    exit,
                    answer.status(),
                    error.path("message").asText("the head answered " + answer.status()),
                    error.path("hint").asText(""));
        } catch (IOException noJson) {
            return new CliFailure(CliFailure.FAILED, answer.status(), "the head answered " + answer.status(), "");
        }
    }

    private CliFailure notReached() {
        return new CliFailure(
                CliFailure.NOT_REACHED,
                "no head answers at " + socket,
                "start one with: spillway serve --config FILE, or name its socket with --socket PATH");
    }

    private CliFailure broken(IOException cause) {
        return new CliFailure(
                CliFailure.NOT_REACHED,
                "the head at " + socket + " broke off: " + cause.getMessage(),
                "look at its log; the command may be repeated");
    }

    private static CliFailure strange(IOException cause) {
        return new CliFailure(
                CliFailure.FAILED,
                "the head's answer cannot be read: " + cause.getMessage(),
                "use the spillway command of the head's own version");
    }
}
