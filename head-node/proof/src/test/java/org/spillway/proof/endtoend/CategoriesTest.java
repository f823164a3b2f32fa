package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;

/** A node and two categories: it is made the other when that one's jobs wait, with its image and overlay. */
@Tag("processes")
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class CategoriesTest {
    private static final String CONFIG = """
            cluster: e2e
            state: ./state
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            queues:
              east: { sites: [east], maxWalltime: 10m, default: true }
              train: { sites: [east], maxWalltime: 10m }
            overlays: { solver: { tree: ./overlay } }
            categories:
              ml: { image: { tree: ./image-ml }, queues: [train], types: [sm*], overlays: [solver], change: 5s }
            repurpose: { rest: 0s }
            scaler: { tick: 1s, settings: { idleTime: 10m } }
            sites:
              east:
                driver: local
                maxNodes: 1
                director: { type: small, idle: 10m }
                options: { state: '%s', config: '%s', consistencySeconds: '1' }
            """;

    @TempDir
    static Path folder;

    private static HeadFixture head;

    @BeforeAll
    static void start() throws IOException {
        head = new HeadFixture(folder);
        Path real = head.folder();
        Files.writeString(
                real.resolve("spillway.yaml"), CONFIG.formatted(real.resolve("cloud"), real.resolve("cloud.yaml")));
        program(real.resolve("image-ml/bin/tool"), "echo the ml tool");
        program(real.resolve("overlay/bin/solve"), "echo solved with $LICENCE");
        program(
                real.resolve("overlay/spillway/join"),
                "while [ -e " + real + "/wait ]; do sleep 0.1; done; echo joined >>" + real + "/hooks");
        program(real.resolve("overlay/spillway/leave"), "echo left >>" + real + "/hooks");
        Files.writeString(real.resolve("overlay/spillway/environment"), "LICENCE=a licence\n");
        head.start();
    }

    @AfterAll
    static void end() throws IOException {
        if (head != null) {
            head.close();
        }
    }

    private static void program(Path file, String body) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        file.toFile().setExecutable(true, false);
    }

    private static Path out(String queue, int number) {
        return head.folder().resolve(queue + number + ".txt");
    }

    private static String submit(String queue, int number) {
        return head.submit(HeadFixture.sized(
                queue,
                "#!/bin/sh\n{ tool; solve; } >out 2>/dev/null\nexit 0\n",
                1,
                "",
                List.of(new JobSubmission.Output("out", out(queue, number).toString(), false, false))));
    }

    private static void done(String job) {
        assertThat(head.awaitEnd(job).job().state()).as(head.tail()).isEqualTo(JobState.DONE);
    }

    private static NodeView node() {
        return head.nodes().stream()
                .filter(node -> node.role().equals("node") && !node.state().isTerminal())
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Order(1)
    void aJobOfAQueueRunsOnANodeOfItsCategory() {
        done(submit("east", 1));
        assertThat(out("east", 1)).hasContent("image tool\n");
        assertThat(node().category()).isEmpty();
    }

    @Test
    @Order(2)
    void theIdleNodeIsRepurposedAndTheJobSeesTheOtherImageAndTheOverlay() {
        String before = node().id();
        done(submit("train", 1));
        assertThat(out("train", 1)).hasContent("the ml tool\nsolved with a licence\n");
        assertThat(node().id()).isEqualTo(before);
        assertThat(node().category()).isEqualTo("ml");
        assertThat(node().overlays()).containsExactly("solver");
        assertThat(head.nodes().stream().filter(node -> node.role().equals("node")))
                .as("nothing else was bought")
                .hasSize(1);
        assertThat(head.command("explain", before)).contains("of category ml with overlay solver, repurposed once");
    }

    @Test
    @Order(3)
    void itIsMadeWhatItWasAgainWhileTheHeadIsKilled() throws IOException {
        done(submit("east", 2));
        assertThat(out("east", 2)).hasContent("image tool\n");
        Files.createFile(head.folder().resolve("wait"));
        String job = submit("train", 2);
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> node().state() == NodeState.REPURPOSING))
                .as(head.tail())
                .isTrue();
        head.kill();
        head.start();
        assertThat(node().state()).as("as the journal has it").isEqualTo(NodeState.REPURPOSING);
        assertThat(head.job(job).job().state().isTerminal()).isFalse();
        Files.delete(head.folder().resolve("wait"));
        done(job);
        assertThat(out("train", 2)).hasContent("the ml tool\nsolved with a licence\n");
        assertThat(head.nodes().stream().filter(node -> node.role().equals("node")))
                .hasSize(1);
        assertThat(Files.readAllLines(head.folder().resolve("hooks"))).startsWith("joined", "left", "joined");
    }

    @Test
    @Order(4)
    void whatAnAdministratorMadeOfItStaysSoUntilItIsGivenBack() {
        String id = node().id();
        assertThat(head.command("node", "repurpose", id, "--no-category", "--wait"))
                .isEqualTo("node " + id + " is READY, fixed\n");
        String waits = submit("train", 3);
        done(submit("east", 3));
        assertThat(out("east", 3)).hasContent("image tool\n");
        assertThat(head.job(waits).job().state())
                .as("the scaler leaves it alone")
                .isEqualTo(JobState.QUEUED);
        assertThat(node().category()).isEmpty();
        assertThat(head.command("explain", id))
                .contains("and fixed as that by an administrator until 'spillway node unfix'");
        head.command("node", "unfix", id);
        done(waits);
        assertThat(out("train", 3)).hasContent("the ml tool\nsolved with a licence\n");
        assertThat(node().fixed()).isFalse();
    }

    @Test
    @Order(5)
    void aBusyNodeJoinsAnOverlayWhenItsJobIsOverThoughTheHeadIsKilled() throws IOException {
        String id = node().id();
        head.command("node", "repurpose", "--site", "east", "--no-category", "--wait");
        Path go = head.folder().resolve("go");
        String job = head.submit(HeadFixture.sized(
                "east", "#!/bin/sh\nwhile [ ! -e " + go + " ]; do sleep 0.1; done\nexit 0\n", 1, "", List.of()));
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> head.job(job).job().state() == JobState.RUNNING))
                .as(head.tail())
                .isTrue();
        assertThatThrownBy(() -> head.command("node", "join", id, "solver"))
                .hasMessageContaining(id + " runs 1 job")
                .hasMessageContaining("--drain");
        assertThat(head.command("node", "join", id, "solver", "--drain"))
                .isEqualTo("node " + id + " is DRAINING, fixed: joins overlay solver by hand\n");
        assertThat(node().becomes()).isEqualTo("of no category with overlay solver");
        head.kill();
        head.start();
        assertThat(node().state()).isEqualTo(NodeState.DRAINING);
        Files.createFile(go);
        done(job);
        assertThat(head.command("node", "join", id, "solver", "--wait"))
                .as("it is on its way, or there already")
                .isEqualTo("node " + id + " is READY, of no category with overlay solver, fixed\n");
        done(submit("east", 4));
        assertThat(out("east", 4)).hasContent("image tool\nsolved with a licence\n");
        head.command("node", "leave", id, "solver", "--wait");
        done(submit("east", 5));
        assertThat(out("east", 5)).hasContent("image tool\n");
        assertThat(node().id()).isEqualTo(id);
    }
}
