package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
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
import org.spillway.api.RolloutView;
import org.spillway.director.SmallTree;

/** Versions of a category's nodes go forward and back, with a real head, director and nodes. As root. */
@Tag("processes")
@Timeout(900)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RolloutTest {
    private static final int NODES = 3;
    private static final String CONFIG = """
            cluster: e2e
            state: ./state
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            queues:
              train: { sites: [east], maxWalltime: 10m, default: true }
            categories:
              ml: { %s queues: [train], change: 5s }
            repurpose: { rest: 1h }
            scaler: { tick: 1s, settings: { idleTime: 20m } }
            sites:
              east:
                driver: local
                maxNodes: 3
                nodes: { isolation: required }
                director: { type: small, idle: 20m }
                options: { state: '%s', config: '%s', consistencySeconds: '1' }
            """;

    @TempDir
    static Path folder;

    private static HeadFixture head;
    private static String first = "";
    private static String second = "";

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(SmallTree.isPossible(), "mounts are root's, and erofs-utils make the file system");
        head = new HeadFixture(folder);
        configured("");
        // The head's key signs.
        head.start().stop();
        first = kept(tree("the first"), "stable");
        configured("image: { version: 'compute:stable', rollout: { canary: 1, batch: 1, soak: 3s } },");
        head.start();
        String gang = head.submit(JobSubmission.of(job -> {
            job.queue = "train";
            job.name = "gang";
            job.script = "#!/bin/sh\nsleep 1\n";
            job.scriptName = "job.sh";
            job.nodes = NODES;
            job.cpus = 1;
            job.walltimeSeconds = 120;
            job.folder = head.folder().toString();
        }));
        done(gang);
        assertThat(nodes()).hasSize(NODES);
    }

    @AfterAll
    static void end() throws IOException {
        if (head != null) {
            head.close();
        }
    }

    private static void configured(String image) throws IOException {
        Path real = head.folder();
        Files.writeString(
                real.resolve("spillway.yaml"),
                CONFIG.formatted(image, real.resolve("cloud"), real.resolve("cloud.yaml")));
    }

    private static Path tree(String says) throws Exception {
        return SmallTree.make(head.folder().resolve(says.replace(' ', '-')), says, 4711);
    }

    /** @return the digest of the version */
    private static String kept(Path tree, String tag) throws Exception {
        return HeadVersions.keep(head, tree, tag, tag);
    }

    private static List<NodeView> nodes() {
        return head.nodes().stream()
                .filter(node -> node.category().equals("ml") && !node.state().isTerminal())
                .toList();
    }

    private static boolean allServe(String version) {
        return nodes().stream()
                .allMatch(node ->
                        node.state() == NodeState.READY && node.version().equals(version));
    }

    private static RolloutView rollout() {
        return head.client().list("/rollouts", "rollouts", RolloutView.class).getFirst();
    }

    private static RolloutView.RolloutProgress last() {
        RolloutView.RolloutProgress last = rollout().rollout();
        assertThat(last).isNotNull();
        return last;
    }

    private static boolean isOver(String phase, String to) {
        RolloutView.RolloutProgress last = rollout().rollout();
        return last != null && last.phase().equals(phase) && last.to().endsWith("@" + to);
    }

    private static void done(String job) {
        assertThat(head.awaitEnd(job).job().state()).as(head.tail()).isEqualTo(JobState.DONE);
    }

    private static String waitsFor(Path sign, String out) {
        String job = head.submit(HeadFixture.sized(
                "train",
                "#!/bin/sh\nwhile [ ! -e " + sign + " ]; do sleep 0.1; done\ncat /etc/spillway-image >out\n",
                1,
                "",
                List.of(new JobSubmission.Output(
                        "out", head.folder().resolve(out).toString(), false, false))));
        head.await(job, one -> one.state() == JobState.RUNNING);
        return job;
    }

    /** Waits until it is so, and sees no more than one node away. @return those that were */
    private static Set<String> untilWithOneAway(BooleanSupplier isSo) {
        Set<String> away = new HashSet<>();
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> {
                    List<String> now = nodes().stream()
                            .filter(node -> node.state() != NodeState.READY)
                            .map(NodeView::id)
                            .toList();
                    assertThat(now).hasSizeLessThanOrEqualTo(1);
                    away.addAll(now);
                    return isSo.getAsBoolean();
                }))
                .as(() -> rollout() + "\n" + head.tail())
                .isTrue();
        return away;
    }

    @Test
    @Order(1)
    void aTagThatMovesComesToACanaryThenToTheRestWithAJobUntouched() throws Exception {
        Path go = head.folder().resolve("go");
        String job = waitsFor(go, "busy.txt");
        second = kept(tree("the second"), "stable");
        untilWithOneAway(() ->
                nodes().stream().filter(node -> node.version().equals(second)).count() == NODES - 1);
        untilWithOneAway(() -> nodes().stream().anyMatch(node -> node.state() == NodeState.DRAINING));
        assertThat(head.job(job).job().state()).isEqualTo(JobState.RUNNING);
        Files.createFile(go);
        done(job);
        assertThat(head.folder().resolve("busy.txt")).hasContent("the first\n");
        untilWithOneAway(() -> isOver("DONE", second));
        assertThat(allServe(second)).isTrue();
        assertThat(nodes()).hasSize(NODES);
        assertThat(head.command("image", "rollout", "status"))
                .contains("done, all nodes have it")
                .contains("BATCH_2");
    }

    @Test
    @Order(2)
    void aBadOneIsHaltedAtItsCanaryAndRolledBackByItself() throws Exception {
        Path go = head.folder().resolve("go-on");
        String job = waitsFor(go, "kept.txt");
        Path broken = tree("the bad");
        Files.writeString(broken.resolve("bin/sh"), "no program\n");
        String bad = kept(broken, "test");
        assertThat(head.command("image", "rollout", "start", "compute:test", "--category", "ml", "--soak", "1s"))
                .contains("canary");
        Set<String> away = untilWithOneAway(() -> isOver("UNDONE", bad));
        assertThat(away).as("the canary alone").hasSize(1);
        assertThat(last().cause().code()).isEqualTo("NODES_FAILED");
        assertThat(String.valueOf(last().cause().parameters().get("why"))).contains("GATE_FAILED", "check=root");
        assertThat(allServe(second)).isTrue();
        assertThat(nodes()).hasSize(NODES);
        assertThat(head.job(job).job().state()).isEqualTo(JobState.RUNNING);
        Files.createFile(go);
        done(job);
        assertThat(head.folder().resolve("kept.txt")).hasContent("the second\n");
        assertThat(head.job(job).job().attempt()).isEqualTo(1);
    }

    @Test
    @Order(3)
    void aRollbackGoesOnInTheNextHead() {
        head.command("image", "rollback", "ml");
        untilWithOneAway(() -> nodes().stream().anyMatch(node -> node.version().equals(first)));
        head.kill();
        restarted();
        untilWithOneAway(() -> isOver("DONE", first));
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> allServe(first)))
                .as(head.tail())
                .isTrue();
        assertThat(nodes()).hasSize(NODES);
    }

    private static void restarted() {
        try {
            head.start();
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
