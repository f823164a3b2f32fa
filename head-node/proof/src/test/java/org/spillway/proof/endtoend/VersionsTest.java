package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
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
import org.spillway.director.SmallTree;
import org.spillway.image.store.Reference;
import org.spillway.image.store.VersionStore;
import org.spillway.image.store.Watch;

/** Jobs of a category live in a version of the head's store, those beside them in the machine's own root. As root. */
@Tag("processes")
@Timeout(900)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class VersionsTest {
    private static final String CONFIG = """
            cluster: e2e
            state: ./state
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            queues:
              east: { sites: [east], maxWalltime: 10m, default: true }
              train: { sites: [east], maxWalltime: 10m }
            categories:
              ml: { %s queues: [train], change: 5s }
            repurpose: { rest: 1h }
            scaler: { tick: 1s, settings: { idleTime: 20m } }
            sites:
              east:
                driver: local
                maxNodes: 2
                nodes: { isolation: required }
                director: { type: small, idle: 20m }
                options: { state: '%s', config: '%s', consistencySeconds: '1' }
            """;

    private static final String LOOK = """
            #!/bin/sh
            { cat /etc/spillway-image 2>/dev/null || echo the machine; id -un; cat data.txt; } >out
            """;

    @TempDir
    static Path folder;

    private static HeadFixture head;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(SmallTree.isPossible(), "mounts are root's, and erofs-utils make the file system");
        head = new HeadFixture(folder);
        configured("");
        // The head's key signs.
        head.start().stop();
        tagged("the first");
        configured("image: { version: 'compute:stable', rollout: { soak: 0s } },");
        Files.writeString(head.folder().resolve("data.txt"), "its input\n");
        head.start();
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

    private static String tagged(String says) throws Exception {
        return tagged(SmallTree.make(head.folder().resolve(says.replace(' ', '-')), says, 4711), says);
    }

    private static String tagged(Path tree, String says) throws Exception {
        return HeadVersions.keep(head, tree, says, "stable");
    }

    private static Path out(String name) {
        return head.folder().resolve(name + ".txt");
    }

    private static String submit(String queue, String name, String script) {
        return head.submit(HeadFixture.sized(
                queue,
                script,
                1,
                head.folder().resolve("data.txt").toString(),
                List.of(new JobSubmission.Output("out", out(name).toString(), false, false))));
    }

    private static void done(String job) {
        assertThat(head.awaitEnd(job).job().state()).as(head.tail()).isEqualTo(JobState.DONE);
    }

    private static NodeView node() {
        return head.nodes().stream()
                .filter(node -> node.category().equals("ml") && !node.state().isTerminal())
                .findFirst()
                .orElseThrow();
    }

    private static String stable() throws IOException {
        try (VersionStore store = HeadVersions.store(head)) {
            return store.find(Reference.parse("compute:stable")).digest();
        }
    }

    @Test
    @Order(1)
    void aJobOfTheCategoryLivesInItsVersionAndOneBesideItInTheMachinesRoot() throws Exception {
        String version = submit("train", "version", LOOK);
        String machine = submit("east", "machine", LOOK);
        done(version);
        done(machine);
        assertThat(out("version")).hasContent("the first\nroot\nits input\n");
        assertThat(out("machine")).hasContent("the machine\nroot\nits input\n");
        assertThat(node().version()).isEqualTo(stable());
        assertThat(node().kernel())
                .isEqualTo(
                        Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip());
        assertThat(head.command("nodes")).contains(stable().substring(0, 12));
        assertThat(head.nodes())
                .filteredOn(
                        node -> node.role().equals("node") && node.category().isEmpty())
                .allSatisfy(node -> assertThat(node.version()).isEmpty());
    }

    @Test
    @Order(2)
    void aTagThatMovesDrainsTheNodeAndRenewsItWhenItIsIdleAndNeverUnderAJob() throws Exception {
        String before = node().id();
        Path go = head.folder().resolve("go");
        String busy = submit(
                "train",
                "busy",
                "#!/bin/sh\nwhile [ ! -e " + go + " ]; do sleep 0.1; done\ncat /etc/spillway-image >out\n");
        head.await(busy, job -> job.state() == JobState.RUNNING);
        String first = node().version();
        String second = tagged("the second");
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> contains(head.log(), "is version " + second + ", ")))
                .as(head.tail())
                .isTrue();
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> node().state() == NodeState.DRAINING))
                .as(head.tail())
                .isTrue();
        assertThat(head.job(busy).job().state()).isEqualTo(JobState.RUNNING);
        assertThat(node().version()).isEqualTo(first);
        Files.createFile(go);
        done(busy);
        assertThat(out("busy")).as("its own to its end").hasContent("the first\n");
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE,
                        () -> node().state() == NodeState.READY
                                && node().version().equals(second)))
                .as(head.tail())
                .isTrue();
        assertThat(node().id()).isEqualTo(before);
        assertThat(head.command("explain", before)).contains("repurposed once");
        done(submit("train", "after", LOOK));
        assertThat(out("after")).hasContent("the second\nroot\nits input\n");
    }

    @Test
    @Order(3)
    void whatHasRottenAtHomeIsMadeAgainBeforeASiteHasIt() throws Exception {
        String third = tagged("the third");
        Path file = head.state().resolve("image-store/roots/compute@" + third + ".erofs");
        head.kill();
        try (VersionStore store = HeadVersions.store(head)) {
            store.root(store.find(Reference.parse("compute:stable")), Watch.NONE);
        }
        try (var image = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var one = ByteBuffer.allocate(1);
            image.read(one, image.size() / 2);
            one.put(0, (byte) (one.get(0) ^ 1)).rewind();
            image.write(one, image.size() / 2);
        }
        head.start();
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> node().version().equals(third)))
                .as(head.tail())
                .isTrue();
        assertThat(contains(head.log(), "compute@" + third + " had rotted at home, and is made again"))
                .isTrue();
        done(submit("train", "third", LOOK));
        assertThat(out("third")).hasContent("the third\nroot\nits input\n");
    }

    @Test
    @Order(4)
    void aSessionLivesInTheVersionOfItsJobOrSaysWhatTheVersionLacks() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/dpkg")), "no dpkg, which knows the files of Perl");
        Path without = head.folder().resolve("without");
        String bare = submit("train", "bare", waitsFor(without));
        head.await(bare, job -> job.state() == JobState.RUNNING);
        assertThat(ssh(2, bare, "cat", "/etc/spillway-image"))
                .contains("the version in which the job lives has no perl, which sessions need");
        Files.createFile(without);
        done(bare);
        Path tree = SmallTree.make(head.folder().resolve("sessions"), "for sessions", 4711);
        SmallTree.withSessions(tree);
        String wanted = tagged(tree, "for sessions");
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> node().version().equals(wanted)))
                .as(head.tail())
                .isTrue();
        Path with = head.folder().resolve("with");
        String job = submit("train", "whole", waitsFor(with));
        head.await(job, one -> one.state() == JobState.RUNNING);
        assertThat(ssh(0, job, "cat", "/etc/spillway-image", "data.txt"))
                .endsWith("for sessions\nits input\n")
                .doesNotContain("perl: warning");
        assertThat(ssh(127, job, "no-such-program")).contains("no-such-program");
        Files.createFile(with);
        done(job);
    }

    private static String waitsFor(Path sign) {
        return "#!/bin/sh\nwhile [ ! -e " + sign + " ]; do sleep 0.1; done\n: >out\n";
    }

    private static String ssh(int code, String... words) throws Exception {
        var command = new ArrayList<>(Installation.shared().java("org.spillway.cli.Main"));
        command.addAll(
                List.of("ssh", "--socket", head.state().resolve("spillway.sock").toString()));
        command.addAll(List.of(words));
        Process client = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
        String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(client.waitFor()).as(() -> said + "\n" + head.tail()).isEqualTo(code);
        return said;
    }

    private static boolean contains(Path log, String text) {
        try {
            return Files.readString(log).contains(text);
        } catch (IOException gone) {
            return false;
        }
    }
}
