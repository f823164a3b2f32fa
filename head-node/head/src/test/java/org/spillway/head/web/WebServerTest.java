package org.spillway.head.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.JobState;
import org.spillway.head.rest.Caller;

/** The page over real HTTP. */
final class WebServerTest {
    @TempDir
    Path state;

    private final BusyHead head = new BusyHead();
    private volatile Instant now = BusyHead.NOON;
    private WebServer server;
    private PlainHttp http;
    private String cookie;

    @BeforeEach
    void start() throws IOException {
        server = WebServer.start(place("127.0.0.1", 0), head, Optional.of(metrics()), () -> now);
        http = new PlainHttp(server.port());
        var entered = http.ask("GET", pathOf(server.link()));
        cookie = "Cookie: " + entered.header("Set-Cookie").replaceFirst(";.*", "");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private WebServer.Place place(String address, int port) {
        return new WebServer.Place(address, port, state, Duration.ofHours(12));
    }

    private MetricsPage metrics() {
        return new MetricsPage(state.resolve("metrics.token"), "text/plain; version=0.0.4", () -> "spillway_jobs 1\n");
    }

    @Test
    void metricsAreForWhoeverShowsTheirTokenAndForAdministrators() throws IOException {
        String token = "0123456789abcdef0123456789abcdef";
        String shown = "Authorization: Bearer " + token;
        assertThat(http.ask("GET", "/metrics", shown).status())
                .as("no file yet")
                .isEqualTo(401);
        Files.writeString(state.resolve("metrics.token"), token + "\n");
        var answer = http.ask("GET", "/metrics", shown);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).startsWith("text/plain; version=0.0.4");
        assertThat(answer.body()).isEqualTo("spillway_jobs 1\n");
        assertThat(http.ask("GET", "/metrics", cookie).body()).isEqualTo("spillway_jobs 1\n");
        for (String wrong : List.of(
                "X: y",
                "Authorization: Bearer " + token + "0",
                "Authorization: Bearer ",
                "Authorization: Basic " + token)) {
            assertThat(http.ask("GET", "/metrics", wrong).status()).as(wrong).isEqualTo(401);
        }
        assertThat(http.ask("GET", "/", shown).status())
                .as("nothing but metrics")
                .isEqualTo(401);
        assertThat(http.ask("POST", "/metrics", shown).status()).isEqualTo(401);
        Files.writeString(state.resolve("metrics.token"), "short\n");
        assertThat(http.ask("GET", "/metrics", "Authorization: Bearer short").status())
                .isEqualTo(401);
    }

    @Test
    void withoutAConfiguredTokenThereAreNoMetrics() throws IOException {
        server.close();
        server = WebServer.start(place("127.0.0.1", 0), head, Optional.empty(), () -> now);
        http = new PlainHttp(server.port());
        var entered = http.ask("GET", pathOf(server.link()));
        cookie = "Cookie: " + entered.header("Set-Cookie").replaceFirst(";.*", "");
        assertThat(http.ask("GET", "/metrics", cookie).status()).isEqualTo(404);
        assertThat(http.ask("GET", "/metrics", "Authorization: Bearer x").status())
                .isEqualTo(401);
    }

    private static String pathOf(String link) {
        return link.substring(link.indexOf("/?"));
    }

    @Test
    void theLinkLetsInOnceAndDisappearsFromTheAddress() throws IOException {
        assertThat(server.link()).startsWith("http://127.0.0.1:" + server.port() + "/?token=");
        assertThat(Files.readString(state.resolve("web.link"))).isEqualTo(server.link() + "\n");
        var entered = http.ask("GET", pathOf(server.link()));
        assertThat(entered.status()).isEqualTo(303);
        assertThat(entered.header("Location")).isEqualTo("/");
        assertThat(entered.header("Set-Cookie"))
                .matches("spillway-" + server.port() + "=[A-Za-z0-9_-]{43}; Path=/; HttpOnly; SameSite=Strict");
        assertThat(entered.header("Set-Cookie"))
                .doesNotContain(server.link().substring(server.link().indexOf('=') + 1));
        assertThat(http.ask("GET", "/", cookie).body()).contains("<b>hydro</b>", "id=\"job-103\"");
    }

    /** After a redirect the browser would keep a strict cookie back. */
    @Test
    void aLinkOnAnotherSitesPageLeadsOnWithoutARedirect() throws IOException {
        var entered = http.ask("GET", pathOf(server.link()), "Sec-Fetch-Site: cross-site");
        assertThat(entered.status()).isEqualTo(200);
        assertThat(entered.header("Set-Cookie")).startsWith("spillway-" + server.port());
        assertThat(entered.body()).contains("url=/").doesNotContain("token");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/jobs/101",
                "/events",
                "/events?job=101",
                "/assets/x.css",
                "/nothing",
                "/?token=wrong",
                "/?token="
            })
    void withoutACookieNothingIsShown(String path) throws IOException {
        for (var shown : new String[] {"X: y", "Cookie: spillway-" + server.port() + "=wrong"}) {
            var refused = http.ask("GET", path, shown);
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.body()).contains("spillway web").doesNotContain("hydro", "slice-0");
            assertThat(refused.header("Set-Cookie")).isEmpty();
        }
    }

    @Test
    void strangersHostsAndOriginsAreRefused() throws IOException {
        assertThat(http.ask("GET", "/", cookie, "Host: evil.example:" + server.port())
                        .status())
                .isEqualTo(403);
        assertThat(http.ask("GET", pathOf(server.link()), "Host: evil.example").status())
                .isEqualTo(403);
        assertThat(http.ask("GET", "/events", cookie, "Origin: http://evil.example")
                        .status())
                .isEqualTo(403);
        assertThat(http.ask("GET", "/", cookie, "Host: localhost:" + server.port())
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
    void nothingCanBeChanged(String method) throws IOException {
        for (var path : new String[] {"/", "/jobs/101", "/jobs/101/cancel", "/shutdown"}) {
            assertThat(http.ask(method, path, cookie).status()).isEqualTo(405);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/jobs/120", "/nothing", "/?token=wrong"})
    void everyAnswerKeepsTheBrowserStrict(String path) throws IOException {
        var answer = http.ask("GET", path, cookie);
        assertThat(answer.header("Content-Security-Policy"))
                .contains("default-src 'none'", "frame-ancestors 'none'")
                .contains(answer.status() == 200 ? "script-src 'self'" : "style-src 'sha256-")
                .doesNotContain("unsafe");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.header("Server")).isEmpty();
    }

    @Test
    void whatAUserWroteIsNeverMarkup() throws IOException {
        for (var path : new String[] {"/", "/jobs/120"}) {
            var body = http.ask("GET", path, cookie).body();
            assertThat(body).contains("&lt;script&gt;alert(1)&lt;/script&gt;").doesNotContain(BusyHead.MARKUP);
        }
        try (var socket = http.open("GET", "/events", cookie)) {
            var line = PlainHttp.lineWith(PlainHttp.reader(socket), "\"part\":\"jobs\"");
            assertThat(line).contains("&lt;script&gt;").doesNotContain(BusyHead.MARKUP);
        }
    }

    @Test
    void theFilesOfThePageNeverGrowOld() throws IOException {
        var page = http.ask("GET", "/", cookie).body();
        var paths = Pattern.compile("/assets/spillway\\.[0-9a-f]{16}\\.(css|js|svg)")
                .matcher(page)
                .results()
                .toList();
        assertThat(paths.stream().map(path -> path.group(1)).distinct()).containsExactlyInAnyOrder("css", "js", "svg");
        for (var path : paths) {
            var asset = http.ask("GET", path.group(), cookie);
            assertThat(asset.status()).isEqualTo(200);
            assertThat(asset.header("Cache-Control")).contains("immutable");
            assertThat(asset.header("Content-Type")).startsWith(path.group(1).equals("svg") ? "image/svg" : "text/");
        }
        assertThat(http.ask("GET", "/assets/spillway.css", cookie).status()).isEqualTo(404);
        assertThat(http.ask("GET", "/assets/..%2ftemplates%2fmain.html", cookie).status())
                .isIn(400, 404);
    }

    /** The script asks in this way whether its cookie is still good; a stream would never end. */
    @Test
    void aHeadRequestIsAnsweredWithoutABody() throws IOException {
        for (var path : new String[] {"/", "/jobs/101", "/events"}) {
            var answer = http.ask("HEAD", path, cookie);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEmpty();
        }
        assertThat(http.ask("HEAD", "/").status()).isEqualTo(401);
        assertThat(server.streams()).isZero();
    }

    @Test
    void aJobHasAPageOfItsOwn() throws IOException {
        assertThat(http.ask("GET", "/jobs/105", cookie).body())
                .contains("slice-3", "class=\"phase STAGING_OUT\"", "results on the way home", "41.0 MiB of 120 MiB");
        assertThat(http.ask("GET", "/jobs/999", cookie).status()).isEqualTo(404);
        assertThat(http.ask("GET", "/jobs/%3Cb%3E", cookie).status()).isEqualTo(404);
        assertThat(http.ask("GET", "/events?job=%3Cb%3E", cookie).status()).isEqualTo(404);
    }

    @Test
    void aHeadThatCannotPlanNowShowsTheRest() throws IOException {
        head.beBusy();
        assertThat(http.ask("GET", "/", cookie).body()).contains("The head cannot say now", "id=\"job-103\"");
    }

    @Test
    void onlyWhatHasChangedIsSent() throws IOException {
        try (var socket = http.open("GET", "/events", cookie)) {
            var events = PlainHttp.reader(socket);
            for (var part : Feed.MAIN_PARTS) {
                PlainHttp.lineWith(events, "\"part\":\"" + part + "\"");
            }
            head.step("121", JobState.STAGING_IN, "job 103 is done");
            var changed = new ArrayList<String>();
            do {
                changed.add(PlainHttp.lineWith(events, "data:").replaceFirst(".*\"part\":\"(\\w+)\".*", "$1"));
            } while (!changed.contains("jobs"));
            assertThat(changed).doesNotContain("nodes", "sites", "spend", "plan");
        }
    }

    /** H1: on 7b3e1e2 nobody was accepted any more while these lasted. */
    @Test
    void slowStrangersDoNotSilenceThePage() throws IOException {
        var sockets = new ArrayList<Socket>();
        try (var live = http.open("GET", "/events", cookie)) {
            PlainHttp.lineWith(PlainHttp.reader(live), "hello");
            for (int i = 0; i < 220; i++) {
                var socket = new Socket("127.0.0.1", server.port());
                socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x".getBytes(StandardCharsets.UTF_8));
                sockets.add(socket);
            }
            assertThat(http.ask("GET", "/", cookie).status()).isEqualTo(200);
            await().atMost(Duration.ofMinutes(3)).until(() -> server.strangers() <= 65);
            head.step("121", JobState.STAGING_IN, "still live");
            assertThat(PlainHttp.lineWith(PlainHttp.reader(live), "still live")).contains("part");
            // Strangers have ten seconds, however they trickle.
            await().atMost(Duration.ofMinutes(3)).until(() -> server.strangers() == 0);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void aJobsPageIsLiveToo() throws IOException {
        try (var socket = http.open("GET", "/events?job=121", cookie)) {
            var events = PlainHttp.reader(socket);
            assertThat(PlainHttp.lineWith(events, "\"part\":\"job\"")).contains("waits for job 103");
            head.step("121", JobState.STAGING_IN, "job 103 is done");
            assertThat(PlainHttp.lineWith(events, "\"part\":\"job\"")).contains("job 103 is done");
        }
    }

    @Test
    void streamsAreBoundedAndThoseOfReadersWhoWentAreEnded() throws IOException {
        var sockets = new ArrayList<Socket>();
        try {
            for (int i = 0; i < EventStreams.MOST; i++) {
                sockets.add(http.open("GET", "/events", cookie));
            }
            await().atMost(Duration.ofMinutes(3)).until(() -> server.streams() == EventStreams.MOST);
            var refused = http.ask("GET", "/events", cookie);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Retry-After")).isEqualTo("15");
            assertThat(http.ask("GET", "/", cookie).status()).isEqualTo(200);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
        // Something changes, so that the server learns at once that nobody reads.
        await().atMost(Duration.ofMinutes(3)).until(() -> {
            head.step("121", JobState.HELD, "at " + System.nanoTime());
            return server.streams() == 0;
        });
    }

    @Test
    void itEndsWithOpenStreamsAndTakesTheLinkAway() throws IOException {
        try (var socket = http.open("GET", "/events", cookie)) {
            var events = PlainHttp.reader(socket);
            PlainHttp.lineWith(events, "hello");
            server.close();
            assertThatThrownBy(() -> PlainHttp.lineWith(events, "no such line")).isInstanceOf(IOException.class);
        }
        assertThat(state.resolve("web.link")).doesNotExist();
        assertThat(state.resolve("web.token")).exists();
    }

    @Test
    void aTakenPortOrAnotherAddressIsSaid() {
        assertThatThrownBy(() -> WebServer.start(
                        place("127.0.0.1", server.port()), head, Optional.empty(), InstantSource.system()))
                .hasMessageContaining("cannot serve the web page on 127.0.0.1:" + server.port())
                .hasMessageContaining("choose another web.port");
        assertThatThrownBy(() -> WebServer.start(place("192.0.2.1", 0), head, Optional.empty(), InstantSource.system()))
                .hasMessageContaining("loopback address only");
    }

    /** A request that a stranger's page could send with the browser's cookie changes nothing. */
    @Test
    void aClusterIsChangedByAFormOfThePageOnly() throws IOException {
        var ours = "Origin: http://127.0.0.1:" + server.port();
        assertThat(http.ask("POST", "/clusters/demo1/delete", cookie).status()).isEqualTo(403);
        assertThat(http.ask("POST", "/clusters/demo1/delete", cookie, ours).status())
                .isEqualTo(403);
        assertThat(http.ask("POST", "/clusters/demo1/delete?form=x", cookie, ours)
                        .status())
                .isEqualTo(403);
        assertThat(http.ask("POST", "/clusters/demo1/delete", ours).status()).isEqualTo(401);
        assertThat(http.ask("GET", "/clusters", cookie).header("Content-Security-Policy"))
                .contains("form-action 'self'", "default-src 'none'");
    }

    @Test
    void anotherUserSeesNothingOfACluster() throws IOException {
        var entered = http.ask("GET", pathOf(server.link(BusyClusters.GRACE).link()));
        var hers = "Cookie: " + entered.header("Set-Cookie").replaceFirst(";.*", "");
        assertThat(http.ask("GET", "/", hers).header("Location")).isEqualTo("/clusters");
        assertThat(http.ask("GET", "/clusters", hers).body()).contains("big").doesNotContain("demo1", "slice-0");
        for (var path : List.of("/clusters/demo1", "/events?cluster=demo1%0a")) {
            assertThat(http.ask("GET", path, hers).status()).as(path).isEqualTo(404);
        }
        for (var path : List.of("/jobs/101", "/events", "/events?job=101", "/nothing")) {
            assertThat(http.ask("GET", path, hers).status()).as(path).isEqualTo(403);
        }
        try (var socket = http.open("GET", "/events?clusters", hers)) {
            assertThat(PlainHttp.lineWith(PlainHttp.reader(socket), "data: {\"html\""))
                    .contains("big")
                    .doesNotContain("demo1");
        }
    }

    @Test
    void aUsersLinkEndsAndSoDoesWhatItOpened() throws IOException {
        var view = server.link(BusyClusters.GRACE);
        assertThat(view.endsAt()).isEqualTo(BusyHead.NOON.plus(Duration.ofHours(12)));
        assertThat(server.link(new Caller("root", 0, 0, true)).endsAt()).isNull();
        var hers = "Cookie: "
                + http.ask("GET", pathOf(view.link())).header("Set-Cookie").replaceFirst(";.*", "");
        try (var socket = http.open("GET", "/events?clusters", hers)) {
            var stream = PlainHttp.reader(socket);
            assertThat(PlainHttp.lineWith(stream, "data: {\"html\"")).contains("big");
            now = now.plus(Duration.ofHours(12));
            await().until(() -> server.streams() == 0);
        }
        assertThat(http.ask("GET", "/clusters", hers).status()).isEqualTo(401);
        assertThat(http.ask("GET", pathOf(view.link())).body()).contains("This link has ended");
        assertThat(http.ask("GET", "/", cookie).status()).isEqualTo(200);
    }
}
