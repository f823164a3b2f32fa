package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.Directive.SlurmGrant;
import org.spillway.director.wire.JobOrder.Foreign;

/** Who is told what of a Slurm, over real TLS. */
final class SlurmSideTest {
    private static final byte[] NOTHING = {};
    private static final byte[] KEY = "0123456789abcdef0123456789abcdef\n\0binary".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    private TestSite site;
    private HttpClient owner;
    private HttpClient other;

    @BeforeEach
    void start() throws Exception {
        site = new TestSite(folder);
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

    private static SlurmGrant grant(String slot, String controller, String socket) {
        return new SlurmGrant(slot, controller, socket, Base64.getEncoder().encodeToString(KEY));
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
    void theKeyIsForTheGrantedNodeAfterItsGateOnly() throws Exception {
        SlurmGrant grant = grant("west-gpu-1", "10.0.0.1:6817", "/var/run/munge/socket");
        site.nodes.addAll(List.of(new NodeGrant("n1", grant), new NodeGrant("n2")));
        site.sync();
        List<String> paths = List.of("/v1/slurm", "/v1/slurm/key", "/v1/slurm/program");
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
        assertThat(text("/v1/slurm"))
                .isEqualTo("slot west-gpu-1\ncontroller 10.0.0.1:6817\nsocket /var/run/munge/socket\n");
        assertThat(get(owner, "/v1/slurm/key").body()).isEqualTo(KEY);
        assertThat(text("/v1/slurm/program")).contains("slurm_prolog() {").doesNotContain("# shellcheck");
        assertThat(get(other, "/v1/slurm/key").statusCode()).isEqualTo(404);
        assertThat(get(site.headClient(), "/v1/slurm/key").statusCode()).isEqualTo(404);
        assertThat(get(owner, "/v1/slurm/keys").statusCode()).isEqualTo(404);
        assertThat(site.send(owner, "POST", "/v1/slurm/key", NOTHING).statusCode())
                .isEqualTo(404);
        assertThat(grant.toString()).doesNotContain(grant.mungeKey());
        assertThat(new NodeGrant("n1", grant).toString()).doesNotContain(grant.mungeKey());
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
        site.nodes.set(0, new NodeGrant("n1", grant("west-1", "[fd00::1]:6817", "/run/munge/munge.socket.2")));
        site.sync();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).contains("\nslurm west-1\n");
        SlurmGrant plain = grant("west-1", "[fd00::1]:6817", "/run/munge/munge.socket.2");
        site.nodes.set(
                0,
                new NodeGrant(
                        "n1",
                        new SlurmGrant(
                                plain.slot(),
                                plain.controller(),
                                plain.mungeSocket(),
                                plain.mungeKey(),
                                new Directive.SlurmTurn(1_795_339_000, 2))));
        site.sync();
        assertThat(text("/v1/orders?after=x")).contains("\nslurm west-1 1795339000-2\n");
    }

    @Test
    void aGrantThatIsMalformedIsNotPassedOnAndIsTold() throws Exception {
        Map<String, SlurmGrant> grants = Map.of(
                "slot", grant("a\nstart j 1", "h:1", "/s"),
                "controller", grant("a", "h:1 -D", "/s"),
                "socket", grant("a", "h:1", "/s/../x y"),
                "key", new SlurmGrant("a", "h:1", "/s", "short"));
        for (var bad : grants.entrySet()) {
            site.nodes.clear();
            site.nodes.add(new NodeGrant("n1", bad.getValue()));
            site.sync();
            say(owner, "yes");
            assertThat(text("/v1/orders?after=x")).doesNotContain("slurm");
            assertThat(get(owner, "/v1/slurm").statusCode()).isEqualTo(404);
            assertThat(site.sync().nodes().getFirst().gate()).as(bad.getKey()).anySatisfy(check -> {
                assertThat(check.name()).isEqualTo("slurm");
                assertThat(check.passed()).isFalse();
                assertThat(check.detail()).contains(bad.getKey());
            });
        }
    }

    @Test
    void anOrderThatIsForeignSaysWhoseItIs() throws Exception {
        site.nodes.add(new NodeGrant("n1"));
        OrderDraft draft = new OrderDraft("j1", "n1", 1000, "");
        draft.foreign = new Foreign("4711", "/home/ann/a  b ");
        site.jobs.put("j1", draft.order());
        site.sync();
        assertThat(text("/v1/jobs/j1/1/facts")).endsWith("\nslurm 4711\nfolder /home/ann/a  b \n");
        for (Foreign bad : List.of(
                new Foreign("47 11", "/x"),
                new Foreign("", "/x"),
                new Foreign("1", "x"),
                new Foreign("1", "/x\nuid 0"),
                new Foreign("1", "/" + "x".repeat(4096)))) {
            draft.foreign = bad;
            assertThat(OrderCheck.problem(draft.order()).orElse("none")).contains("foreign");
        }
    }
}
