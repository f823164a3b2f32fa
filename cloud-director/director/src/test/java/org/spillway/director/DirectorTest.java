package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.LaunchGrant;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.director.wire.Report.Results;
import org.spillway.stage.Sha256;

/** Who may do what, over real TLS. */
final class DirectorTest {
    private static final byte[] NOTHING = {};

    @TempDir
    Path folder;

    private TestSite site;
    private HttpClient stranger;

    @BeforeEach
    void start() throws Exception {
        site = new TestSite(folder);
        site.authority.issue("nobody", "somebody", "127.0.0.1");
        site.authority.issue("n1", "node:n1", "127.0.0.1");
        site.authority.issue("n2", "node:n2", "127.0.0.1");
        stranger = site.clientOf("nobody");
    }

    @AfterEach
    void stop() {
        stranger.close();
        site.close();
    }

    private int status(HttpClient client, String method, String path) throws Exception {
        return site.send(client, method, path, NOTHING).statusCode();
    }

    private HttpResponse<byte[]> join(String token, String intent, String csr) throws Exception {
        String form = "intent=" + intent + "&instance=i-1&csr=" + URLEncoder.encode(csr, StandardCharsets.UTF_8);
        return site.send(
                stranger,
                "POST",
                "/v1/join",
                form.getBytes(StandardCharsets.UTF_8),
                Map.of("Authorization", "Bearer " + token));
    }

    private String csr(String name) throws Exception {
        return site.authority.text(name + ".csr");
    }

    @Test
    void onlyTheHeadSyncs() throws Exception {
        byte[] directive = WireJson.write(site.directive(1));
        assertThat(site.send(stranger, "POST", "/v1/sync", directive).statusCode())
                .isEqualTo(403);
        try (HttpClient node = site.clientOf("n1")) {
            assertThat(site.send(node, "POST", "/v1/sync", directive).statusCode())
                    .isEqualTo(403);
        }
        for (String path :
                List.of("/v1/lease", "/v1/orders", "/v1/image", "/v1/image/manifest", "/", "/v1/jobs/j/1/script")) {
            assertThat(status(stranger, "GET", path)).as(path).isEqualTo(401);
        }
    }

    @Test
    void aDirectiveThatIsNotForThisDirectorIsRefused() throws Exception {
        String json = new String(WireJson.write(site.directive(7)), StandardCharsets.UTF_8);
        Map<String, Integer> expected = new HashMap<>();
        expected.put(json.replaceFirst("\"schema\":\\d+", "\"schema\":99"), 400);
        expected.put(json.replace("\"site\":\"site\"", "\"site\":\"other\""), 409);
        expected.put(json.replace("\"nodes\":[]", "\"nodes\":null"), 400);
        expected.put("{", 400);
        expected.put(json.replace("{\"schema\"", "{\"unheardOf\":[1],\"schema\""), 200);
        for (var entry : expected.entrySet()) {
            byte[] body = entry.getKey().getBytes(StandardCharsets.UTF_8);
            assertThat(site.send(site.headClient(), "POST", "/v1/sync", body).statusCode())
                    .as(entry.getKey())
                    .isEqualTo(entry.getValue());
        }
    }

    @Test
    void anOlderDirectiveIsAnsweredButNotFollowed() throws Exception {
        site.nodes.add(new NodeGrant("n1"));
        assertThat(site.sync().sequence()).isEqualTo(101);
        site.nodes.clear();
        var answer = site.send(site.headClient(), "POST", "/v1/sync", WireJson.write(site.directive(50)));
        assertThat(WireJson.hearReport(answer.body()).report().sequence()).isEqualTo(101);
        try (HttpClient node = site.clientOf("n1")) {
            assertThat(new String(site.send(node, "POST", "/v1/lease", NOTHING).body(), StandardCharsets.UTF_8))
                    .startsWith("lease ");
        }
    }

    @Test
    void aJoinTokenIsGoodForItsIntentUntilItsDeadline() throws Exception {
        assertThat(join(TestSite.TOKEN, "intent-1", csr("n1")).statusCode()).isEqualTo(401);
        site.answersJoins = false;
        site.sync();
        assertThat(join("wrong", "intent-1", csr("n1")).statusCode()).isEqualTo(401);
        assertThat(join(TestSite.TOKEN, "intent-2", csr("n1")).statusCode()).isEqualTo(401);
        assertThat(join(TestSite.TOKEN, "intent-1", "x".repeat(9000)).statusCode())
                .isEqualTo(400);
        assertThat(join(TestSite.TOKEN, "intent-1", csr("n1") + "x".repeat(40_000))
                        .statusCode())
                .isEqualTo(413);
        assertThat(join(TestSite.TOKEN, "intent-1", csr("n1")).statusCode()).isEqualTo(202);
        assertThat(join(TestSite.TOKEN, "intent-1", csr("n1")).statusCode()).isEqualTo(202);
        assertThat(site.sync().joins()).hasSize(1);
        for (int i = 1; i < JoinDesk.MAX_PENDING_PER_ADDRESS; i++) {
            assertThat(join(TestSite.TOKEN, "intent-1", csr("n1") + "\n".repeat(i))
                            .statusCode())
                    .isEqualTo(202);
        }
        assertThat(join(TestSite.TOKEN, "intent-1", csr("n2")).statusCode()).isEqualTo(429);
        site.launches = List.of(new LaunchGrant(
                "intent-1", Digests.hex(TestSite.TOKEN), Instant.now().getEpochSecond() - 1, -1));
        site.sync();
        assertThat(join(TestSite.TOKEN, "intent-1", csr("n1")).statusCode()).isEqualTo(403);
        site.launches = List.of();
        assertThat(site.sync().joins()).isEmpty();
    }

    /** A deadline was compared with the director's own clock: one an hour ahead let no node join, and all were bought in vain. */
    @Test
    void aHeadWhoseClockIsAnHourBehindLetsNodesJoin() throws Exception {
        site.launches = List.of(new LaunchGrant(
                "intent-1", Digests.hex(TestSite.TOKEN), Instant.now().getEpochSecond() - 3000, 600));
        site.sync();
        assertThat(join(TestSite.TOKEN, "intent-1", csr("n1")).statusCode()).isEqualTo(202);
    }

    @Test
    void aNodeReadsTheDirectoryByHttps() throws Exception {
        String path = "/v1/directory?attributes=uidNumber,cn&filter="
                + URLEncoder.encode("(&(objectClass=posixAccount)(uid=dora))", StandardCharsets.UTF_8);
        site.addUser("dora", 20_044);
        site.addUser("emil", 20_045);
        site.nodes.add(new NodeGrant("n1"));
        site.sync();
        assertThat(status(stranger, "GET", path)).isEqualTo(401);
        try (HttpClient node = site.clientOf("n1");
                HttpClient other = site.clientOf("n2")) {
            assertThat(status(other, "GET", path)).isEqualTo(403);
            TestNodes.await("dora is copied", () -> !text(node, path).isEmpty());
            assertThat(text(node, path)).isEqualTo("dn: uid=dora,dc=spillway\ncn: dora\nuidNumber: 20044\n\n");
            assertThat(text(node, path.replace("dora", "nobody"))).isEmpty();
            assertThat(status(node, "GET", "/v1/directory?filter=%28uid")).isEqualTo(400);
            assertThat(status(node, "GET", "/v1/directory")).isEqualTo(400);
        }
    }

    private String text(HttpClient client, String path) {
        try {
            return new String(site.send(client, "GET", path, NOTHING).body(), StandardCharsets.UTF_8);
        } catch (Exception e) {
            throw new AssertionError(path, e);
        }
    }

    @Test
    void aDirectorThatHasHeardNothingEndsNothing() throws Exception {
        try (HttpClient node = site.clientOf("n1")) {
            assertThat(status(node, "POST", "/v1/lease")).isEqualTo(503);
            assertThat(status(node, "GET", "/v1/orders?after=x")).isEqualTo(503);
            site.sync();
            assertThat(new String(site.send(node, "POST", "/v1/lease", NOTHING).body(), StandardCharsets.UTF_8))
                    .startsWith("end ");
            assertThat(status(node, "GET", "/v1/orders?after=x")).isEqualTo(403);
        }
    }

    @Test
    void aNodeReachesItsOwnJobsOnly() throws Exception {
        site.nodes.add(new NodeGrant("n1"));
        site.nodes.add(new NodeGrant("n2"));
        site.jobs.put("j1", new OrderDraft("j1", "n1", 1000, "exit 0").order());
        site.sync();
        byte[] bytes = {1, 2, 3};
        String sha = HexFormat.of().formatHex(Sha256.digest().digest(bytes));
        Map<String, String> header = Map.of("X-Sha256", sha);
        try (HttpClient owner = site.clientOf("n1");
                HttpClient other = site.clientOf("n2")) {
            assertThat(status(owner, "GET", "/v1/jobs/j1/1/script")).isEqualTo(200);
            assertThat(status(other, "GET", "/v1/jobs/j1/1/script")).isEqualTo(403);
            assertThat(status(owner, "GET", "/v1/jobs/j1/2/script")).isEqualTo(403);
            assertThat(status(owner, "GET", "/v1/jobs/j1/1/%2e%2e/script")).isEqualTo(404);
            String results = "/v1/jobs/j1/1/results";
            assertThat(site.send(other, "PUT", results, bytes, header).statusCode())
                    .isEqualTo(403);
            assertThat(site.send(owner, "PUT", results, new byte[] {9}, header).statusCode())
                    .isEqualTo(409);

            byte[] boast = "job j1 1 ENDED 0 1 2 user \n".getBytes(StandardCharsets.UTF_8);
            site.send(other, "POST", "/v1/lease", boast);
            assertThat(site.sync().jobs()).isEmpty();
            byte[] told = ("job j1 1 ENDED 0 1 2 user \nresults j1 1 3 " + sha + "\n").getBytes(StandardCharsets.UTF_8);
            site.send(owner, "POST", "/v1/lease", told);
            var report = site.sync().jobs().getFirst();
            assertThat(report.phase()).isEqualTo(Phase.ENDED);
            assertThat(report.results()).isNull();
            assertThat(report.message()).contains("not in the staging space");

            assertThat(site.send(owner, "PUT", results, bytes, header).statusCode())
                    .isEqualTo(200);
            assertThat(site.send(owner, "PUT", results, bytes, header).statusCode())
                    .isEqualTo(200);
            assertThat(site.staged("jobs/j1/1/out/n1.tar")).isEqualTo(bytes);
            site.send(owner, "POST", "/v1/lease", told);
            assertThat(site.sync().jobs().getFirst().results()).isEqualTo(new Results(3, sha));
        }
    }

    /** P5: on 7b3e1e2 a cut-off fetch or upload of a node began again at its first byte. */
    @Test
    void aNodesFetchAndUploadGoOnWhereTheyBroke() throws Exception {
        byte[] bytes = "0123456789".getBytes(StandardCharsets.UTF_8);
        String sha = HexFormat.of().formatHex(Sha256.digest().digest(bytes));
        site.nodes.add(new NodeGrant("n1"));
        var draft = new OrderDraft("j1", "n1", 1000, "exit 0");
        draft.inputs = List.of(new JobOrder.Input("jobs/j1/in/0", bytes.length, site.stage("jobs/j1/in/0", bytes)));
        site.jobs.put("j1", draft.order());
        site.sync();
        String results = "/v1/jobs/j1/1/results";
        try (HttpClient owner = site.clientOf("n1")) {
            var rest = site.send(owner, "GET", "/v1/jobs/j1/1/input", NOTHING, Map.of("Range", "bytes=4-"));
            assertThat(rest.statusCode()).isEqualTo(206);
            assertThat(rest.headers().firstValue("Content-Range")).contains("bytes 4-9/10");
            assertThat(rest.body()).asString(StandardCharsets.UTF_8).isEqualTo("456789");
            assertThat(site.send(owner, "GET", "/v1/jobs/j1/1/input", NOTHING, Map.of("Range", "bytes=10-"))
                            .statusCode())
                    .isEqualTo(416);

            var tail = "6789".getBytes(StandardCharsets.UTF_8);
            Map<String, String> on = Map.of("X-Sha256", sha, "Content-Range", "bytes 6-9/10");
            assertThat(site.send(owner, "PUT", results, tail, on).statusCode())
                    .as("less than that has come")
                    .isEqualTo(409);
            assertThat(site.send(owner, "GET", results, NOTHING).body())
                    .asString()
                    .isEqualTo("0\n");
            site.growing("jobs/j1/1/out/n1.tar", java.util.Arrays.copyOf(bytes, 6));
            assertThat(site.send(owner, "GET", results, NOTHING).body())
                    .asString()
                    .isEqualTo("6\n");
            assertThat(site.send(owner, "PUT", results, tail, on).statusCode()).isEqualTo(200);
            assertThat(site.staged("jobs/j1/1/out/n1.tar")).isEqualTo(bytes);
            assertThat(site.send(owner, "PUT", results, tail, Map.of("X-Sha256", sha, "Content-Range", "bytes much"))
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void streamsAreWrittenByTheirNodeAndReadByTheHead() throws Exception {
        site.nodes.add(new NodeGrant("n1"));
        site.nodes.add(new NodeGrant("n2"));
        site.jobs.put("j1", new OrderDraft("j1", "n1", 1000, "exit 0").order());
        site.sync();
        byte[] bytes = "text".getBytes(StandardCharsets.UTF_8);
        String write = "/v1/jobs/j1/1/log/stdout?from=";
        try (HttpClient owner = site.clientOf("n1");
                HttpClient other = site.clientOf("n2")) {
            assertThat(site.send(owner, "PUT", write + "0", bytes).statusCode()).isEqualTo(200);
            assertThat(site.send(owner, "PUT", write + "-1", bytes).statusCode())
                    .isEqualTo(400);
            assertThat(site.send(owner, "PUT", write + "4", new byte[LogShelf.PIECE_BYTES + 1])
                            .statusCode())
                    .isEqualTo(413);
            assertThat(site.send(owner, "PUT", "/v1/jobs/j1/1/log/secret?from=0", bytes)
                            .statusCode())
                    .isEqualTo(404);
            assertThat(site.send(other, "PUT", write + "4", bytes).statusCode()).isEqualTo(403);
            assertThat(site.log("/v1/logs/j1/1/n1/stdout?after=1")).isEqualTo("1-4:ext");
            assertThat(status(owner, "GET", "/v1/logs/j1/1/n1/stdout?after=0")).isEqualTo(404);
            assertThat(status(site.headClient(), "GET", "/v1/logs/j1/1/n2/stdout?after=0"))
                    .isEqualTo(404);
            assertThat(status(stranger, "GET", "/v1/logs/j1/1/n1/stdout?after=0"))
                    .isEqualTo(401);
        }
    }

    @Test
    void aGangIsOfTheNodesThatAreOrderedForIt() throws Exception {
        OrderDraft first = new OrderDraft("g", "n1", 1000, "exit 0");
        OrderDraft second = new OrderDraft("g", "n2", 1000, "exit 0");
        first.peers = List.of("10.0.0.1", "10.0.0.2");
        second.peers = first.peers;
        second.rank = 1;
        site.nodes.add(new NodeGrant("n1"));
        site.nodes.add(new NodeGrant("n2"));
        site.jobs.put("0", first.order());
        site.sync();
        try (HttpClient one = site.clientOf("n1");
                HttpClient other = site.clientOf("n2")) {
            assertThat(status(other, "POST", "/v1/jobs/g/1/prepared")).isEqualTo(403);
            assertThat(status(other, "GET", "/v1/jobs/g/1/prepared")).isEqualTo(403);
            assertThat(status(one, "GET", "/v1/jobs/g/1/prepared")).isEqualTo(404);
            site.jobs.put("1", second.order());
            site.sync();
            var waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return status(one, "POST", "/v1/jobs/g/1/prepared");
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(status(other, "POST", "/v1/jobs/g/1/prepared")).isEqualTo(200);
            assertThat(waiting.get(180, TimeUnit.SECONDS)).isEqualTo(200);
        }
    }

    @Test
    void whoHoldsManyConnectionsKeepsNobodyOut() throws Exception {
        site.nodes.add(new NodeGrant("n1"));
        site.sync();
        List<Socket> held = new ArrayList<>();
        try (HttpClient before = site.clientOf("n1");
                HttpClient after = site.clientOf("n1")) {
            assertThat(status(before, "POST", "/v1/lease")).isEqualTo(200);
            for (int i = 0; i < 300; i++) {
                held.add(site.connection());
            }
            assertThat(status(before, "POST", "/v1/lease")).isEqualTo(200);
            assertThat(status(after, "POST", "/v1/lease")).isEqualTo(200);
            // The first that were held have made room.
            held.getFirst().setSoTimeout(10_000);
            assertThat(held.getFirst().getInputStream().read()).isNegative();
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
        }
    }

    @Test
    void anImageIsServedByItsDigestAlsoWhenAnotherIsGranted() throws Exception {
        site.nodes.add(new NodeGrant("n1"));
        var old = site.image;
        site.sync();
        String sha = site.stage("images/next", new byte[2048]);
        site.stage("images/" + sha, new byte[2048]);
        site.image = Directive.ImageGrant.archive("base", sha, 2048, "signature");
        site.sync();
        try (HttpClient node = site.clientOf("n1")) {
            assertThat(new String(
                            site.send(node, "GET", "/v1/image/manifest", NOTHING)
                                    .body(),
                            StandardCharsets.UTF_8))
                    .contains("sha256 " + sha);
            assertThat(site.send(node, "GET", "/v1/image/" + old.sha256(), NOTHING)
                            .body())
                    .hasSize((int) old.bytes());
            assertThat(site.send(node, "GET", "/v1/image/" + sha, NOTHING).body())
                    .hasSize(2048);
            assertThat(status(node, "GET", "/v1/image/" + "0".repeat(64))).isEqualTo(503);
            assertThat(status(node, "GET", "/v1/image/../store-id")).isEqualTo(404);
        }
    }

    @Test
    void theStoreKeepsItsNameAndAProcessDoesNot() throws Exception {
        var before = site.sync();
        site.restartDirector();
        var after = site.sync();
        assertThat(after.store()).isEqualTo(before.store());
        assertThat(after.boot()).isNotEqualTo(before.boot());
        assertThat(after.images()).containsExactly(site.image.sha256());
        assertThat(new Directive.DirectoryGrant(1, "a", "b", "hidden").toString())
                .doesNotContain("hidden");
    }
}
