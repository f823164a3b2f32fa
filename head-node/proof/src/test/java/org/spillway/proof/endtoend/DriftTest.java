package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
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
import org.spillway.director.SmallTree;

/** A file of a node's root rots: found, owned, and by policy told, drained or repaired, with a real head, director and nodes. As root. */
@Tag("processes")
@Timeout(1200)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class DriftTest {
    private static final String CONFIG = """
            cluster: e2e
            state: ./state
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            queues:
              tell: { sites: [east], maxWalltime: 10m, default: true }
              mend: { sites: [east], maxWalltime: 10m }
              out: { sites: [east], maxWalltime: 10m }
            %s
            repurpose: { rest: 1h }
            scaler: { tick: 1s, settings: { idleTime: 20m } }
            sites:
              east:
                driver: local
                maxNodes: 4
                nodes: { isolation: required }
                director: { type: small, idle: 20m }
                options: { state: '%s', config: '%s', consistencySeconds: '1' }
            """;
    private static final String CATEGORY =
            "%s: { image: { version: 'compute:stable', drift: %s, driftPeriod: 5s }, queues: [%1$s], change: 5s }";
    private static final byte[] DATA = new byte[192 * 1024];
    private static final String FILE = "/opt/data";

    @TempDir
    static Path folder;

    private static HeadFixture head;
    private static String digest = "";

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(SmallTree.isPossible(), "mounts are root's, and erofs-utils make the file system");
        head = new HeadFixture(folder);
        configured("");
        // The head's key signs.
        head.start().stop();
        new Random(21).nextBytes(DATA);
        Path tree = SmallTree.make(head.folder().resolve("tree"), "the version", 4711);
        Files.write(tree.resolve("opt/data"), DATA);
        Files.createDirectories(tree.resolve("var/lib/dpkg/info"));
        Files.writeString(tree.resolve("var/lib/dpkg/info/thing:amd64.list"), "/.\n/opt\n/opt/data\n");
        digest = HeadVersions.keep(head, tree, "it", "stable");
        configured("categories: { " + CATEGORY.formatted("tell", "report") + ", " + CATEGORY.formatted("mend", "repair")
                + ", " + CATEGORY.formatted("out", "drain") + " }");
        head.start();
        List<String> jobs = List.of(
                submit("tell", "a", "cat /etc/spillway-image >out\n"),
                submit("mend", "b", "cat /etc/spillway-image >out\n"),
                submit("out", "c", "cat /etc/spillway-image >out\n"));
        jobs.forEach(DriftTest::done);
    }

    @AfterAll
    static void end() throws IOException {
        if (head != null) {
            head.close();
        }
    }

    private static void configured(String categories) throws IOException {
        Path real = head.folder();
        Files.writeString(
                real.resolve("spillway.yaml"),
                CONFIG.formatted(categories, real.resolve("cloud"), real.resolve("cloud.yaml")));
    }

    private static Path out(String name) {
        return head.folder().resolve(name + ".out");
    }

    private static String submit(String queue, String name, String script) {
        Path input = head.folder().resolve("input.txt");
        try {
            Files.writeString(input, "its input\n");
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
        return head.submit(HeadFixture.sized(
                queue,
                "#!/bin/sh\n" + script,
                1,
                input.toString(),
                List.of(new JobSubmission.Output("out", out(name).toString(), false, false))));
    }

    private static void done(String job) {
        assertThat(head.awaitEnd(job).job().state()).as(head.tail()).isEqualTo(JobState.DONE);
    }

    private static NodeView node(String category) {
        return head.nodes().stream()
                .filter(node ->
                        node.category().equals(category) && !node.state().isTerminal())
                .findFirst()
                .orElseThrow();
    }

    private static void until(String what, BooleanSupplier condition) {
        assertThat(Processes.eventually(HeadFixture.PATIENCE, condition))
                .as(() -> what + ": " + head.nodes() + "\n" + head.tail())
                .isTrue();
    }

    /** The folder of a node's program on the machine that it is on. */
    private static Path own(NodeView node) throws IOException {
        try (var all = Files.find(head.folder().resolve("cloud"), 6, (path, facts) -> path.endsWith("spillway/node"))) {
            return all.filter(file -> {
                        try {
                            return Files.readString(file).strip().equals(node.id());
                        } catch (IOException gone) {
                            return false;
                        }
                    })
                    .findFirst()
                    .orElseThrow()
                    .getParent();
        }
    }

    private static Path root(NodeView node) throws IOException {
        try (var all = Files.list(own(node).resolve("roots"))) {
            return all.findFirst().orElseThrow();
        }
    }

    /** A byte of the file becomes another one where the node keeps its file system. */
    private static void rot(Path root) throws IOException {
        byte[] all = Files.readAllBytes(root.resolve("file"));
        byte[] piece = Arrays.copyOfRange(DATA, 70_000, 70_064);
        int at = 0;
        while (!Arrays.equals(all, at, at + piece.length, piece, 0, piece.length)) {
            at++;
        }
        try (var file = FileChannel.open(root.resolve("file"), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {(byte) (all[at] ^ 1)}), at);
        }
    }

    @Test
    @Order(1)
    void nodesThatAreTheirVersionSaySo() {
        for (String category : List.of("tell", "mend", "out")) {
            until(
                    "the whole of " + category + " was looked at",
                    () -> node(category).driftText().startsWith("all of it was the same by "));
            assertThat(node(category).drift()).isEqualTo("SAME");
        }
        String said = head.command("image", "drift", "--whole");
        assertThat(said.lines()).hasSize(3).allMatch(line -> line.contains(" is compute@" + digest.substring(0, 12)));
        assertThat(head.command(2, "image", "drift", "n-none")).contains("there is no node 'n-none'");
    }

    @Test
    @Order(2)
    void oneChangedFileOnOneNodeIsFoundByTheLooksAndOnRequestWithWhoOwnsIt() throws Exception {
        NodeView node = node("tell");
        rot(root(node));
        until("the looks found it", () -> node("tell").drift().equals("DIFFERS"));
        assertThat(node("tell").driftText()).isEqualTo("1 file, " + FILE);
        String said = head.command(1, "image", "drift", node.id());
        assertThat(said.lines().filter(line -> line.startsWith(node.id())))
                .anyMatch(line -> line.contains(FILE + " ") && line.contains(" content ") && line.contains(" thing "))
                .anyMatch(line -> line.contains(" is not compute@" + digest.substring(0, 12) + ": 1 differences"));
        assertThat(head.command("image", "drift", "--category=mend", "--json")).contains("\"SAME\"");
        assertThat(node("tell").state()).as("told, and no more").isEqualTo(NodeState.READY);
        assertThat(node("mend").drift()).isEqualTo("SAME");
    }

    @Test
    @Order(3)
    void aNodeWithoutTheManifestSaysThatItWasNotCompared() throws Exception {
        NodeView node = node("tell");
        Path home = head.state().resolve("image-store/manifests").resolve(digest);
        Path away = head.folder().resolve("away");
        Files.move(home, away);
        try (var all = Files.find(
                head.folder().resolve("cloud"), 9, (path, facts) -> path.endsWith(Path.of("images", digest)))) {
            for (Path there : all.toList()) {
                Files.delete(there);
            }
        }
        Files.delete(root(node).resolve("manifest"));
        until("not compared", () -> node("tell").drift().equals("UNKNOWN"));
        assertThat(node("tell").driftText()).contains("the manifest of compute@" + digest + " is not here");
        assertThat(head.command(2, "image", "drift", node.id())).contains("was not compared: the manifest of compute@");
        assertThat(node("tell").state()).isEqualTo(NodeState.READY);
        Files.move(away, home);
        until("compared again", () -> node("tell").drift().equals("DIFFERS"));
    }

    @Test
    @Order(4)
    void aNodeThatMayRepairFetchesTheVersionAgainAndNoJobSeesTheRot() throws Exception {
        NodeView node = node("mend");
        Path root = root(node);
        rot(root);
        until(
                "repaired",
                () -> node("mend").drift().equals("SAME")
                        && node("mend").driftText().contains("; repaired: 1 file, " + FILE));
        done(submit("mend", "mended", "cat " + FILE + " >out\n"));
        assertThat(out("mended")).hasBinaryContent(DATA);
        assertThat(head.command("image", "drift", node.id(), "--whole")).contains(" is compute@");
        assertThat(node("mend").id()).isEqualTo(node.id());
    }

    @Test
    @Order(5)
    void whoeverIsKilledInARepairIsFollowedByTheNextThatWantsTheRoot() throws Exception {
        NodeView node = node("mend");
        Path root = root(node);
        Path looks = own(node).resolve("drift.pid");
        String before = Files.readString(looks).strip();
        ProcessHandle.of(Long.parseLong(before)).ifPresent(ProcessHandle::destroyForcibly);
        rot(root);
        Files.writeString(root.resolve("drifted"), "");
        done(submit("mend", "next", "cat " + FILE + " >out\n"));
        assertThat(out("next")).hasBinaryContent(DATA);
        assertThat(root.resolve("drifted")).doesNotExist();
        until("the looks go on", () -> {
            try {
                return !Files.readString(looks).strip().equals(before);
            } catch (IOException gone) {
                return false;
            }
        });
        until("and find nothing", () -> node("mend").drift().equals("SAME"));
    }

    @Test
    @Order(6)
    void aNodeThatIsToBeDrainedIsSoWithItsReasonAndItsJobGoesOn() throws Exception {
        NodeView node = node("out");
        Path go = head.folder().resolve("go");
        String busy =
                submit("out", "busy", "while [ ! -e " + go + " ]; do sleep 0.1; done\ncat /etc/spillway-image >out\n");
        head.await(busy, job -> job.state() == JobState.RUNNING);
        rot(root(node));
        until("drained", () -> node("out").state() == NodeState.DRAINING);
        assertThat(node("out").cause().code()).isEqualTo("DRIFTED");
        assertThat(node("out").cause().parameters()).containsEntry("said", "1 file, " + FILE);
        assertThat(head.job(busy).job().state()).isEqualTo(JobState.RUNNING);
        Files.createFile(go);
        done(busy);
        until(
                "another takes its place",
                () -> head.nodes().stream()
                        .noneMatch(one ->
                                one.id().equals(node.id()) && !one.state().isTerminal()));
    }
}
