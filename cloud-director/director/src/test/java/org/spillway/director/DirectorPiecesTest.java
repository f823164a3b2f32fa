package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.InputPlan;
import org.spillway.stage.tree.TarFormat;

/** Who may ask what of pieces and of inputs on their way, over real TLS. */
final class DirectorPiecesTest {
    private static final byte[] NOTHING = {};

    @TempDir
    Path folder;

    private TestSite site;

    @BeforeEach
    void start() throws Exception {
        site = new TestSite(folder);
        site.authority.issue("n1", "node:n1", "127.0.0.1");
        site.authority.issue("n2", "node:n2", "127.0.0.1");
    }

    @AfterEach
    void stop() {
        site.close();
    }

    @Test
    void anInputIsReadAheadByTheNodeThatTheHeadNamesForItOnly() throws Exception {
        site.nodes.add(new NodeGrant("n1").with(List.of(new Directive.Coming("a", 1000, 100, "ada"))));
        site.nodes.add(new NodeGrant("n2"));
        site.sync();
        InputPlan plan = new InputPlan(
                List.of("1".repeat(64)),
                List.of(new InputPlan.Part(
                        new TarFormat.Member("f", 5, 0, false), List.of(new InputPlan.Where.InPack(0, 0)))));
        try (HttpClient node = site.clientOf("n1");
                HttpClient other = site.clientOf("n2")) {
            String facts = "/v1/ahead/a/facts";
            assertThat(site.send(node, "GET", facts, NOTHING).statusCode())
                    .as("nothing is on its way")
                    .isEqualTo(404);
            assertThat(site.send(node, "POST", "/v1/plans/a/1000", plan.encoded())
                            .statusCode())
                    .as("a node")
                    .isEqualTo(404);
            assertThat(site.send(site.headClient(), "POST", "/v1/plans/a/1000", new byte[] {1})
                            .statusCode())
                    .isEqualTo(500);
            assertThat(site.send(site.headClient(), "POST", "/v1/plans/a/1000", plan.encoded())
                            .statusCode())
                    .isEqualTo(200);
            var told = site.send(node, "GET", facts, NOTHING);
            assertThat(new String(told.body(), StandardCharsets.UTF_8)).isEqualTo("1000 100 2048 ada\n");
            for (String path : List.of(facts, "/v1/ahead/a/input")) {
                assertThat(site.send(other, "GET", path, NOTHING).statusCode()).isEqualTo(403);
            }
            for (String path : List.of("/v1/ahead/b/facts", "/v1/ahead/b/input")) {
                assertThat(site.send(node, "GET", path, NOTHING).statusCode()).isEqualTo(403);
            }
            assertThat(site.send(node, "GET", "/v1/jobs/a/1/input", NOTHING).statusCode())
                    .as("no job of it has begun here")
                    .isEqualTo(403);
            String orders = new String(
                    site.send(node, "GET", "/v1/orders?after=none", NOTHING).body(), StandardCharsets.UTF_8);
            assertThat(orders.lines()).contains("ahead a");
        }
    }

    /** Results of a job need not come again as the input of the next one. */
    @Test
    void resultsArePiecesOfTheirUserWhenTheHeadSaysSo() throws Exception {
        Path made = Files.createDirectories(folder.resolve("made"));
        Files.writeString(made.resolve("a"), "twelve bytes");
        Files.writeString(made.resolve("b"), "");
        site.stage("jobs/j1/1/out/0", Tar.of(made, List.of("a", "b")));
        byte[] lengths =
                ByteBuffer.allocate(2 * Integer.BYTES).putInt(12).putInt(13).array();
        assertThat(asked("/v1/pieces/1000/lengths", lengths)).containsExactly(0, 0);
        assertThat(asked("/v1/pieces/1000/of/j1/1/0", NOTHING))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("kept\n");
        assertThat(asked("/v1/pieces/1000/lengths", lengths)).containsExactly(1, 0);
        assertThat(asked("/v1/pieces/1001/lengths", lengths)).containsExactly(0, 0);
        byte[] prefix =
                Arrays.copyOf(Sha256.digest().digest("twelve bytes".getBytes(StandardCharsets.UTF_8)), Long.BYTES);
        assertThat(asked("/v1/pieces/1000", prefix)).containsExactly(1);
        // None there is no fault.
        assertThat(asked("/v1/pieces/1000/of/j2/1/0", NOTHING)).isNotEmpty();
    }

    private byte[] asked(String path, byte[] body) throws Exception {
        HttpResponse<byte[]> answer = site.send(site.headClient(), "POST", path, body);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return answer.body();
    }
}
