package org.spillway.stage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.tree.ImageName;

/** A registry of this test lies, stumbles, and looks for passwords. */
final class ImageCacheTest {
    private static final String BASIC =
            "Basic " + Base64.getEncoder().encodeToString("ann:word".getBytes(StandardCharsets.UTF_8));

    /** Does something else than to answer as it should; false for that. */
    private interface Whim {
        boolean answers(HttpExchange exchange, String path) throws IOException;
    }

    @TempDir
    Path home;

    private final TinyImage image = new TinyImage()
            .with(new TinyImage.Layer().file("bin/sh", "x".repeat(500_000)).file("etc/a", "one"))
            .with(new TinyImage.Layer().file("etc/.wh.a", ""))
            .saying("\"A=it's\", \"no name=x\"");
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<String> words = new CopyOnWriteArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private @Nullable HttpServer server;
    private Whim whim = (exchange, path) -> false;
    private String registry = "";
    private int uid;

    @BeforeEach
    void start() throws IOException {
        registry = "127.0.0.1:" + serve(this::answer).getAddress().getPort();
        uid = (int) Files.getAttribute(home, "unix:uid");
    }

    private HttpServer serve(HttpHandler handler) throws IOException {
        HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        made.createContext("/", handler);
        made.start();
        if (server == null) {
            server = made;
        }
        return made;
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.stop(0);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            asked.add(path.replaceAll(".*/(manifests|blobs)/", ""));
            words.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            if (whim.answers(exchange, path)) {
                return;
            }
            String last = path.substring(path.lastIndexOf('/') + 1);
            byte[] body = last.equals("1") ? image.manifest() : image.has(last) ? image.blob(last) : null;
            if (body == null) {
                exchange.sendResponseHeaders(404, -1);
            } else {
                send(exchange, 200, body);
            }
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    private ImageCache cache() {
        return new ImageCache(
                home.resolve("cache"), ImageCache.ownPlatform(), "", InstantSource.system(), () -> {}, pauses::add);
    }

    private Path fetched(String text) throws IOException {
        ImageCache cache = cache();
        return cache.fetch(cache.pinned(ImageName.of(text), home, uid), home, uid);
    }

    private String named() {
        return registry + "/lab/tiny:1";
    }

    private void login(String key) throws IOException {
        Path file = Files.createDirectories(home.resolve(".config/containers")).resolve("auth.json");
        String auth = BASIC.substring("Basic ".length());
        Files.writeString(file, "{\"auths\": {\"" + key + "\": {\"auth\": \"" + auth + "\"}}}");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void anImageComesOnceAndIsTheSameEachTime() throws Exception {
        assertThat(cache().pinned(ImageName.of(named()), home, uid).text()).isEqualTo(named() + "@" + image.digest());
        Path first = fetched(named());
        assertThat(first.resolve("environment")).hasContent("[ -n \"${A+x}\" ] || export A='it'\\''s'");
        byte[] archive = Files.readAllBytes(first.resolve("root.tar.gz"));
        int before = asked.size();
        assertThat(fetched(registry + "/lab/tiny@" + image.digest())).isEqualTo(first);
        assertThat(asked).hasSize(before);
        ImageCache.delete(first);
        assertThat(fetched("oci:" + image.layout(home.resolve("layout")))).isEqualTo(first);
        assertThat(first.resolve("root.tar.gz")).hasBinaryContent(archive);
        Process tar = new ProcessBuilder("tar", "-cf", home.resolve("all.tar").toString(), "-C", home + "/layout", ".")
                .start();
        assertThat(tar.waitFor()).isZero();
        ImageCache.delete(home.resolve("cache"));
        assertThat(fetched("oci-archive:" + home.resolve("all.tar"))).isEqualTo(first);
        assertThat(first.resolve("root.tar.gz")).hasBinaryContent(archive);
        assertThat(asked).hasSize(before);
    }

    @Test
    void aFlippedByteIsRefused() throws Exception {
        byte[] layer = image.blob(image.firstLayer()).clone();
        layer[layer.length / 2] ^= 1;
        whim = (exchange, path) -> {
            boolean lies = path.endsWith(image.firstLayer());
            if (lies) {
                send(exchange, 200, layer);
            }
            return lies;
        };
        assertThatThrownBy(() -> fetched(named()))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("what came as " + image.firstLayer() + " has the digest " + Blobs.digest(layer));
        assertThat(asked.stream().filter(image.firstLayer()::equals)).hasSize(2);
        Path layout = image.layout(home.resolve("layout"));
        Files.write(layout.resolve("blobs/sha256/" + image.firstLayer().substring(7)), layer);
        assertThatThrownBy(() -> fetched("oci:" + layout)).isInstanceOf(ImageRefused.class);
        ImageCache.delete(home.resolve("cache"));
        whim = (exchange, path) -> {
            boolean lies = path.endsWith(image.digest());
            if (lies) {
                send(exchange, 200, "{}".getBytes(StandardCharsets.UTF_8));
            }
            return lies;
        };
        assertThatThrownBy(() -> fetched(named()))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining(image.digest());
    }

    @Test
    void whatIsLargerThanItSaysIsRefused() {
        whim = (exchange, path) -> {
            boolean lies = path.endsWith(image.firstLayer());
            if (lies) {
                send(exchange, 200, new byte[image.blob(image.firstLayer()).length + 1]);
            }
            return lies;
        };
        assertThatThrownBy(() -> fetched(named()))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("more than");
    }

    @Test
    void aCutGoesOnWhereItWas() throws Exception {
        byte[] layer = image.blob(image.firstLayer());
        int half = layer.length / 2;
        List<String> ranges = new ArrayList<>();
        whim = (exchange, path) -> {
            if (!path.endsWith(image.firstLayer())) {
                return false;
            }
            String range = exchange.getRequestHeaders().getFirst("Range");
            if (range == null) {
                exchange.sendResponseHeaders(200, layer.length);
                exchange.getResponseBody().write(layer, 0, half);
                exchange.getResponseBody().flush();
                return true;
            }
            ranges.add(range);
            int from = Integer.parseInt(range.replaceAll("\\D", ""));
            exchange.getResponseHeaders()
                    .set("Content-Range", "bytes " + from + "-" + (layer.length - 1) + "/" + layer.length);
            send(exchange, 206, Arrays.copyOfRange(layer, from, layer.length));
            return true;
        };
        assertThat(fetched(named()).resolve("image")).exists();
        assertThat(ranges).hasSize(1);
        assertThat(Integer.parseInt(ranges.getFirst().replaceAll("\\D", ""))).isBetween(1, half);
    }

    @Test
    void whatMayPassIsTriedAgain() throws Exception {
        int[] left = {2};
        whim = (exchange, path) -> {
            if (!path.endsWith(image.firstLayer()) || left[0]-- <= 0) {
                return false;
            }
            exchange.getResponseHeaders().set("Retry-After", left[0] == 1 ? "7" : "soon");
            send(exchange, left[0] == 1 ? 429 : 503, new byte[0]);
            return true;
        };
        assertThat(fetched(named()).resolve("image")).exists();
        assertThat(pauses).containsExactly(Duration.ofSeconds(7), Duration.ofSeconds(2));
    }

    @Test
    void aRegistryThatIsDownIsNamed() throws Exception {
        cache().pinned(ImageName.of(named()), home, uid);
        if (server != null) {
            server.stop(0);
        }
        assertThatThrownBy(() -> cache().pinned(ImageName.of(named()), home, uid))
                .isNotInstanceOf(ImageRefused.class)
                .hasMessageContaining(registry + " does not answer");
        assertThat(pauses).isEmpty();
        ImageName pinned = ImageName.of(registry + "/lab/tiny@" + image.digest());
        assertThatThrownBy(() -> cache().fetch(pinned, home, uid)).hasMessageContaining("does not answer");
        assertThat(pauses).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
    }

    @Test
    void whatIsNotThereIsRefused() throws Exception {
        assertThatThrownBy(() -> fetched(registry + "/lab/tiny:2"))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("there is no such image (404)");
        whim = (exchange, path) -> {
            send(exchange, 403, new byte[0]);
            return true;
        };
        assertThatThrownBy(() -> fetched(named()))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("podman login " + registry);
        assertThatThrownBy(() -> fetched("oci:" + home)).isInstanceOf(ImageRefused.class);
        assertThat(pauses).isEmpty();
    }

    @Test
    void aPasswordGoesToItsRegistryOnly() throws Exception {
        List<String> elsewhere = new CopyOnWriteArrayList<>();
        HttpServer other = serve(exchange -> {
            try (exchange) {
                elsewhere.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
                String path = exchange.getRequestURI().getPath();
                send(exchange, 200, image.blob(path.substring(1)));
            }
        });
        try {
            whim = (exchange, path) -> {
                if (!BASIC.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                    exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"x\"");
                    send(exchange, 401, new byte[0]);
                    return true;
                }
                if (path.contains("/blobs/")) {
                    String to = "http://127.0.0.1:" + other.getAddress().getPort() + "/"
                            + path.substring(path.lastIndexOf('/') + 1);
                    exchange.getResponseHeaders().set("Location", to);
                    send(exchange, 307, new byte[0]);
                    return true;
                }
                return false;
            };
            login("127.0.0.1:1");
            assertThatThrownBy(() -> fetched(named()))
                    .isInstanceOf(ImageRefused.class)
                    .hasMessageContaining("nobody is logged in there");
            assertThat(words).containsOnly("null");
            login(registry + "/lab");
            assertThat(fetched(named()).resolve("image")).exists();
            assertThat(elsewhere).isNotEmpty().containsOnly("null");
            assertThat(words).contains(BASIC);
        } finally {
            other.stop(0);
        }
    }

    @Test
    void aTokenIsFetchedWithThePassword() throws Exception {
        whim = (exchange, path) -> {
            String said = exchange.getRequestHeaders().getFirst("Authorization");
            if (path.equals("/token")) {
                assertThat(said).isEqualTo(BASIC);
                assertThat(exchange.getRequestURI().getQuery()).isEqualTo("service=s&scope=repository:lab/tiny:pull");
                send(exchange, 200, "{\"token\":\"abc.def\"}".getBytes(StandardCharsets.UTF_8));
                return true;
            }
            if (!"Bearer abc.def".equals(said)) {
                exchange.getResponseHeaders()
                        .set("WWW-Authenticate", "Bearer realm=\"http://" + registry + "/token\",service=\"s\"");
                send(exchange, 401, new byte[0]);
                return true;
            }
            return false;
        };
        login(registry);
        assertThat(fetched(named()).resolve("image")).exists();
    }

    @Test
    void aLoginThatIsOpenToOthersIsNotUsed() throws Exception {
        whim = (exchange, path) -> {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"x\"");
            send(exchange, 401, new byte[0]);
            return true;
        };
        login(registry);
        Path file = home.resolve(".config/containers/auth.json");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> fetched(named()))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("chmod 600");
        assertThat(words).doesNotContain(BASIC);
        Files.writeString(file, "{\"auths\":{},\"credHelpers\":{\"" + registry + "\":\"secretservice\"}}");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> fetched(named()))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("to a program");
    }
}
