package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.JobOrder.Foreign;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.director.wire.ManagerGrant.GrantedFile;

/** Who is told what of a workload manager that the director has never heard of, over real TLS. */
final class ManagerSideTest {
    private static final byte[] NOTHING = {};
    private static final byte[] KEY = "0123456789abcdef0123456789abcdef\n\0binary".getBytes(StandardCharsets.UTF_8);
    private static final String KEY_TEXT = Base64.getEncoder().encodeToString(KEY);
    private static final GrantedFile SECRET = new GrantedFile("secret.key", "400", KEY_TEXT);

    @TempDir
    Path folder;

    private TestSite site;
    private HttpClient owner;
    private HttpClient other;

    @BeforeEach
    void start() throws Exception {
        site = new TestSite(folder);
        site.programs = List.of(new ManagerGrant.Program("grid", "manager_serve() { :; }\n"));
        site.authority.issue("n1", "node:n1", "127.0.0.1");
        site.authority.issue("n2", "node:n2", "127.0.0.1");
        owner = site.clientOf("n1");
        other = site.clientOf("n2");
    }

    @AfterEach
    void stop() {
        owner.close();
        other.close();
        site.close();
    }

    private static ManagerGrant grant(String slot, String turn) {
        return new ManagerGrant(
                "grid", slot, turn, Map.of("master", "10.0.0.1:6817", "spool", "/var/spool/grid"), List.of(SECRET));
    }

    private static ManagerGrant grant(Map<String, String> parameters, GrantedFile... files) {
        return new ManagerGrant("grid", "a", "", parameters, List.of(files));
    }

    private HttpResponse<byte[]> get(HttpClient client, String path) throws Exception {
        return site.send(client, "GET", path, NOTHING);
    }

    private String text(String path) throws Exception {
        return new String(get(owner, path).body(), StandardCharsets.UTF_8);
    }

    private void say(HttpClient client, String ready) throws Exception {
        byte[] said = ("ready " + ready + "\n").getBytes(StandardCharsets.UTF_8);
        assertThat(site.send(client, "POST", "/v1/lease", said).statusCode()).isEqualTo(200);
    }

    @Test
    void aSecretIsForTheGrantedNodeAfterItsGateOnly() throws Exception {
        ManagerGrant grant = grant("west-gpu-1", "");
        site.nodes.addAll(List.of(new NodeGrant("n1", grant), new NodeGrant("n2")));
        site.sync();
        List<String> paths = List.of("/v1/manager", "/v1/manager/file/secret.key", "/v1/manager/program");
        for (String path : paths) {
            assertThat(get(owner, path).statusCode()).as(path).isEqualTo(404);
        }
        say(owner, "no");
        say(other, "yes");
        for (String path : paths) {
            assertThat(get(owner, path).statusCode()).as(path).isEqualTo(404);
            assertThat(get(other, path).statusCode()).as(path).isEqualTo(404);
        }
        say(owner, "yes");
        assertThat(text("/v1/manager"))
                .isEqualTo("manager grid\nslot west-gpu-1\nmaster 10.0.0.1:6817\nspool /var/spool/grid\n"
                        + "file secret.key 400\n");
        assertThat(get(owner, "/v1/manager/file/secret.key").body()).isEqualTo(KEY);
        assertThat(text("/v1/manager/program"))
                .contains("fetch_grant() {", "manager_serve() { :; }")
                .doesNotContain("# shellcheck");
        assertThat(get(other, "/v1/manager/file/secret.key").statusCode()).isEqualTo(404);
        assertThat(get(site.headClient(), "/v1/manager/file/secret.key").statusCode())
                .isEqualTo(404);
        for (String path : List.of("/v1/manager/file/", "/v1/manager/file/other", "/v1/managers")) {
            assertThat(get(owner, path).statusCode()).as(path).isEqualTo(404);
        }
        assertThat(site.send(owner, "POST", "/v1/manager/file/secret.key", NOTHING)
                        .statusCode())
                .isEqualTo(404);
        assertThat(new NodeGrant("n1", grant).toString() + grant.files()).doesNotContain(KEY_TEXT);
    }

    @Test
    void theOrdersNameTheSlotAsSoonAsItIsGranted() throws Exception {
        site.nodes.add(new NodeGrant("n1"));
        site.sync();
        String version =
                text("/v1/orders?after=x").lines().findFirst().orElseThrow().substring("version ".length());
        var waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return text("/v1/orders?after=" + version);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        site.nodes.set(0, new NodeGrant("n1", grant("west-1", "")));
        site.sync();
        assertThat(waiting.get(180, TimeUnit.SECONDS)).contains("\nserve grid west-1\n");
        site.nodes.set(0, new NodeGrant("n1", grant("west-1", "1795339000-2")));
        site.sync();
        assertThat(text("/v1/orders?after=x")).contains("\nserve grid west-1 1795339000-2\n");
    }

    @Test
    void aGrantWithoutItsProgramIsNotPassedOnAndIsTold() throws Exception {
        site.nodes.add(new NodeGrant("n1", grant("a", "")));
        for (var programs : List.of(
                List.<ManagerGrant.Program>of(),
                List.of(new ManagerGrant.Program("other", "x")),
                List.of(new ManagerGrant.Program("grid", "")),
                List.of(new ManagerGrant.Program("grid", "x".repeat(ManagerCheck.MOST_PROGRAM_BYTES + 1))),
                List.of(new ManagerGrant.Program("grid", "x\0y")))) {
            site.programs = programs;
            refused("program");
        }
    }

    @Test
    void aGrantThatIsMalformedIsNotPassedOnAndIsTold() throws Exception {
        Map<String, ManagerGrant> grants = new TreeMap<>(Map.of(
                "manager", new ManagerGrant("../grid", "a", "", Map.of(), List.of()),
                "slot", new ManagerGrant("grid", "a\nstart j 1", "", Map.of(), List.of()),
                "turn", new ManagerGrant("grid", "a", "1 2", Map.of(), List.of()),
                "master", grant(Map.of("master", "h:1 -D")),
                "socket", grant(Map.of("socket", "/s/../x")),
                "spool", grant(Map.of("spool", "/s/$(x)")),
                "name is malformed or taken", grant(Map.of("slot", "b")),
                "more than 32 parameters",
                        grant(IntStream.range(0, 33).boxed().collect(Collectors.toMap(i -> "p" + i, i -> "v"))),
                "line", grant(Map.of("line", "a\nfile x 755"))));
        grants.put("file's name", grant(Map.of(), new GrantedFile("../x", "400", KEY_TEXT)));
        grants.put("twice", grant(Map.of(), SECRET, SECRET));
        grants.put("mode", grant(Map.of(), new GrantedFile("x", "4755", KEY_TEXT)));
        grants.put("base64", grant(Map.of(), new GrantedFile("x", "400", "no base64!")));
        grants.put("65536 bytes", grant(Map.of(), large("x")));
        grants.put(
                "more than 16 files",
                grant(
                        Map.of(),
                        IntStream.range(0, 17)
                                .mapToObj(i -> new GrantedFile("f" + i, "600", KEY_TEXT))
                                .toArray(GrantedFile[]::new)));
        for (var bad : grants.entrySet()) {
            site.nodes.clear();
            site.nodes.add(new NodeGrant("n1", bad.getValue()));
            refused(bad.getKey());
        }
    }

    private static GrantedFile large(String name) {
        byte[] bytes = new byte[ManagerCheck.MOST_FILE_BYTES + 1];
        return new GrantedFile(name, "600", Base64.getEncoder().encodeToString(bytes));
    }

    private void refused(String why) throws Exception {
        site.sync();
        say(owner, "yes");
        assertThat(text("/v1/orders?after=x")).doesNotContain("serve");
        for (String path : List.of("/v1/manager", "/v1/manager/program", "/v1/manager/file/secret.key")) {
            assertThat(get(owner, path).statusCode()).as(why).isEqualTo(404);
        }
        assertThat(site.sync().nodes().getFirst().gate()).as(why).anySatisfy(check -> {
            assertThat(check.name()).isEqualTo("manager");
            assertThat(check.passed()).isFalse();
            assertThat(check.detail()).contains(why).doesNotContain(KEY_TEXT);
        });
    }

    @Test
    void anOrderThatIsForeignSaysWhoseItIs() throws Exception {
        site.nodes.add(new NodeGrant("n1"));
        OrderDraft draft = new OrderDraft("j1", "n1", 1000, "");
        draft.foreign = new Foreign("grid", "4711", "/home/ann/a  b ");
        site.jobs.put("j1", draft.order());
        site.sync();
        assertThat(text("/v1/jobs/j1/1/facts")).contains("\nmanager grid\nforeign 4711\nfolder /home/ann/a  b \n");
        for (Foreign bad : List.of(
                new Foreign("grid\nuid 0", "1", "/x"),
                new Foreign("", "1", "/x"),
                new Foreign("grid", "47 11", "/x"),
                new Foreign("grid", "", "/x"),
                new Foreign("grid", "1", "x"),
                new Foreign("grid", "1", "/x\nuid 0"),
                new Foreign("grid", "1", "/" + "x".repeat(4096)))) {
            draft.foreign = bad;
            assertThat(OrderCheck.problem(draft.order()).orElse("none")).contains("foreign");
        }
        draft.foreign = null;
        assertThat(OrderCheck.problem(draft.order())).isEmpty();
    }
}
