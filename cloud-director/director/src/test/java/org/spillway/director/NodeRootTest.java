package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.Directive.NodeProfile;
import org.spillway.director.wire.Directive.Root;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport.Phase;

/** Jobs on a real node live in a version of a root file system, and in the machine's own where there is none. */
@Tag("processes")
final class NodeRootTest extends OnNodes {
    @BeforeEach
    void canMount() {
        assumeTrue(SmallTree.isPossible(), "mounts are root's, and erofs-utils make the file system");
    }

    private void name(TestInstance instance, int turn, ImageGrant image, List<ImageGrant> overlays) {
        String node = "n-" + instance.id;
        site.nodes.replaceAll(each -> each.node().equals(node)
                ? new NodeGrant(node, null, new NodeProfile(turn, image, overlays, null))
                : each);
    }

    private static Optional<Report.GateCheck> check(Report report, TestInstance instance, String name) {
        return report.nodes().stream()
                .filter(node -> node.node().equals("n-" + instance.id))
                .flatMap(node -> node.gate().stream())
                .filter(check -> check.name().equals(name))
                .findFirst();
    }

    private void untilLives(TestInstance instance, int turn, ImageGrant image) throws Exception {
        String kernel = Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip();
        site.until(
                "turn " + turn + " in " + image.version(),
                report -> check(report, instance, NodeProfile.CHECK)
                                .filter(check ->
                                        check.passed() && check.detail().equals(Integer.toString(turn)))
                                .isPresent()
                        && check(report, instance, Root.CHECK)
                                .filter(check ->
                                        check.passed() && check.detail().equals(image.version() + " " + kernel))
                                .isPresent()
                        && report.nodes().stream()
                                .anyMatch(node -> node.node().equals("n-" + instance.id)
                                        && node.ready()
                                        && node.imageSha256().equals(image.sha256())));
    }

    private TestInstance living(String id, ImageGrant image, ImageGrant... overlays) throws Exception {
        TestInstance instance = nodes.ready(id);
        name(instance, 1, image, List.of(overlays));
        untilLives(instance, 1, image);
        return instance;
    }

    private Map<String, String> run(OrderDraft draft, TestInstance instance, String job) throws Exception {
        site.jobs.put(job, draft.order());
        var report = site.untilPhase(job, Phase.ENDED);
        var results = site.results(job, "n-" + instance.id);
        assertThat(report.exitCode()).as(report.message() + instance.console()).isZero();
        site.jobs.remove(job);
        return results;
    }

    private Map<String, String> run(String job, TestInstance instance, String script) throws Exception {
        return run(nodes.draft(job, instance, script), instance, job);
    }

    private ImageGrant version(String says, char letter) throws Exception {
        return SmallRoot.staged(site, SmallTree.make(folder.resolve("root-" + letter), says, TestNodes.UID), letter);
    }

    @Test
    void aJobHasTheVersionAsItsRootWithItsInputItsNameAndALayerToWriteTo() throws Exception {
        site.addGroup("crew", 60_077, "ann");
        TestInstance instance = living("lives", version("the version", 'a'));
        Path in = Files.createDirectories(folder.resolve("in"));
        Files.writeString(in.resolve("in.txt"), "its input\n");
        byte[] tar = Tar.of(in, List.of("in.txt"));
        String sha = site.stage("jobs/j/in/0", tar);
        var draft = nodes.draft("j", instance, """
                mkdir results
                cat /etc/spillway-image
                id -un
                id -Gn
                cat in.txt
                ls /
                ls /home /var/lib /usr/share 2>&1
                touch /opt/mine /etc/mine /tmp/mine && ls /opt /etc
                echo "$SPILLWAY_IMAGE $SPILLWAY_IMAGE_VERSION $PATH"
                cat /etc/hosts
                ls /dev
                readlink /proc/self/root
                touch /dev/shm/mine && echo output >results/out
                """);
        draft.inputs = List.of(new JobOrder.Input("jobs/j/in/0", tar.length, sha));
        var results = run(draft, instance, "j");
        String said = results.get(".spillway/stdout");
        assertThat(said).startsWith("the version\nann\n").contains("crew").contains("its input");
        assertThat(said).contains("/ compute@" + "a".repeat(64) + " /usr/local/bin:/usr/bin:/bin\n");
        assertThat(said).contains("No such file or directory").contains(" n-" + instance.id + " rank-0");
        assertThat(said.lines()).contains("null", "shm", "/").doesNotContain("kmsg", "root", "boot", "home");
        assertThat(results).containsEntry("results/out", "output\n");
        assertThat(Path.of("/opt/mine")).doesNotExist();
        TestNodes.await("its layer is gone", () -> !Files.exists(instance.disk.resolve("spillway/jobs/j.1/own")));
        assertThat(run("again", instance, "ls /opt /tmp\n").get(".spillway/stdout"))
                .as("nothing of another job")
                .doesNotContain("mine");
    }

    @Test
    void aJobBesideItSeesTheMachineAndANodeMayBecomeThatAgain() throws Exception {
        String look = "cat /etc/spillway-image 2>/dev/null || echo the machine\n";
        ImageGrant first = version("the first", 'a');
        TestInstance instance = living("moves", first);
        TestInstance beside = nodes.ready("beside");
        assertThat(run("one", instance, look)).containsEntry(".spillway/stdout", "the first\n");
        assertThat(run("two", beside, look + "greet\n"))
                .containsEntry(".spillway/stdout", "the machine\nhello from the image\n");
        ImageGrant second = version("the second", 'b');
        name(instance, 2, second, List.of());
        untilLives(instance, 2, second);
        assertThat(run("three", instance, look)).containsEntry(".spillway/stdout", "the second\n");
        Path roots = instance.disk.resolve("spillway/roots");
        assertThat(roots.resolve(first.sha256())).doesNotExist();
        name(instance, 3, site.image, List.of());
        site.until(
                "the machine's own again",
                report -> check(report, instance, NodeProfile.CHECK)
                                .filter(check -> check.detail().equals("3"))
                                .isPresent()
                        && check(report, instance, Root.CHECK).isEmpty()
                        && report.nodes().stream()
                                .filter(node -> node.node().equals("n-" + instance.id))
                                .allMatch(Report.NodeReport::ready));
        assertThat(run("four", instance, look + "greet\n"))
                .containsEntry(".spillway/stdout", "the machine\nhello from the image\n");
        assertThat(roots).isEmptyDirectory();
    }

    @Test
    void signalsCodesAndArgumentsAreAsTheyAreElsewhere() throws Exception {
        TestInstance instance = living("codes", version("the version", 'a'));
        nodes.order("code", instance, "exit 7\n");
        assertThat(site.untilPhase("code", Phase.ENDED).exitCode()).isEqualTo(7);
        var words = nodes.draft("words", instance, "#!/usr/bin/env sh\necho \"$1|$2|$ODD\"; id -u\n");
        words.arguments = List.of("a b", "$(id)\n'");
        words.environment = Map.of("ODD", "x\ny=$HOME", "LD_PRELOAD", "");
        assertThat(run(words, instance, "words"))
                .containsEntry(".spillway/stdout", "a b|$(id)\n'|x\ny=$HOME\n" + TestNodes.UID + "\n");
        var last = nodes.draft("last", instance, "trap 'echo bye; exit 3' TERM; : >up; sleep 60 & wait\n");
        site.jobs.put("last", last.order());
        TestNodes.await("it is up", () -> {
            try {
                site.sync();
            } catch (Exception lost) {
                return false;
            }
            return Files.exists(instance.disk.resolve("work/last.1/up"));
        });
        last.cancel = true;
        site.jobs.put("last", last.order());
        assertThat(site.untilPhase("last", Phase.ENDED).exitCode()).isEqualTo(3);
        assertThat(nodes.stdout("last", instance)).isEqualTo("bye\n");
    }

    @Test
    void noWordOfAJobIsReadByAProgramThatIsRoot() throws Exception {
        TestInstance instance = living("harm", version("the version", 'a'));
        Path library = folder.resolve("none.so");
        Files.writeString(library, "");
        var draft = nodes.draft("harm", instance, "cat /proc/1/status 2>&1; readlink /proc/1/root; ls /proc/1/cwd/\n");
        draft.environment =
                Map.of("LD_PRELOAD", library.toString(), "LD_AUDIT", library.toString(), "PATH", "/nowhere:/bin");
        site.jobs.put("harm", draft.order());
        var report = site.untilPhase("harm", Phase.ENDED);
        String said = nodes.stdout("harm", instance);
        assertThat(said).as(report.message()).contains("Name:").contains("NoNewPrivs:\t1");
        assertThat(said).doesNotContain("spillway\n").doesNotContain("boot");
        assertThat(instance.console()).doesNotContain("none.so");
    }

    @Test
    void whatHasRottenInTheRegionIsFoundThereAndFetchedAgain() throws Exception {
        ImageGrant image = version("the version", 'a');
        Path stored = SmallRoot.stored(site, image.sha256());
        Path good = Files.copy(stored, folder.resolve("good"));
        spoil(stored);
        TestInstance instance = nodes.ready("rot");
        name(instance, 1, image, List.of());
        site.until("the director has thrown it away", report -> !report.images().contains(image.sha256()));
        assertThat(check(site.sync(), instance, Root.CHECK)).isEmpty();
        Files.move(good, stored);
        untilLives(instance, 1, image);
        assertThat(run("j", instance, "cat /etc/spillway-image\n")).containsEntry(".spillway/stdout", "the version\n");
    }

    @Test
    void whatHasRottenOnTheNodeIsFetchedAgainInItsNextLifeAndAHalfIsGoneOnWith() throws Exception {
        ImageGrant image = version("the version", 'a');
        TestInstance instance = nodes.instance("half");
        Process agent = instance.boot(site.userData());
        site.untilReady(instance.id);
        Path own = instance.disk.resolve("spillway/roots").resolve(image.sha256());
        Files.createDirectories(own);
        byte[] all = Files.readAllBytes(SmallRoot.stored(site, image.sha256()));
        Files.write(own.resolve("part"), java.util.Arrays.copyOf(all, all.length / 2));
        name(instance, 1, image, List.of());
        untilLives(instance, 1, image);
        assertThat(run("j", instance, "cat /etc/spillway-image\n")).containsEntry(".spillway/stdout", "the version\n");

        agent.destroyForcibly().waitFor();
        instance.close();
        spoil(own.resolve("file"));
        instance.boot(site.userData());
        name(instance, 2, image, List.of());
        untilLives(instance, 2, image);
        assertThat(instance.console()).contains("the version " + image.version() + ": the digest is ");
        assertThat(run("k", instance, "cat /etc/spillway-image\n")).containsEntry(".spillway/stdout", "the version\n");
    }

    @Test
    void whatTheHeadHasNotSignedIsRefusedAndSoIsAVersionWithALinkInTheWay() throws Exception {
        ImageGrant image = version("the version", 'a');
        ImageGrant forged = new ImageGrant(
                "compute",
                image.sha256(),
                image.bytes(),
                image.signature(),
                new Root("f".repeat(64), "-", image.bytes()));
        TestInstance instance = nodes.ready("forged");
        name(instance, 1, forged, List.of());
        site.until(
                "a refusal",
                report -> check(report, instance, "image")
                        .filter(check -> !check.passed() && check.detail().equals("the signature is not the head's"))
                        .isPresent());
        Path tree = SmallTree.make(folder.resolve("root-c"), "with a link", 1);
        Files.createSymbolicLink(tree.resolve("tmp"), Path.of("/etc"));
        name(instance, 2, SmallRoot.staged(site, tree, 'c'), List.of());
        site.until(
                "another refusal",
                report -> check(report, instance, Root.CHECK)
                        .filter(
                                check -> !check.passed()
                                        && check.detail()
                                                .equals(
                                                        "jobs cannot live in it: a link of the version lies in the way of /tmp"))
                        .isPresent());
        assertThat(site.sync().nodes()).noneMatch(Report.NodeReport::ready);
        name(instance, 3, SmallRoot.granted(site, "d".repeat(64), 1L << 50, "d".repeat(64)), List.of());
        site.until(
                "a third",
                report -> check(report, instance, "image")
                        .filter(check -> !check.passed()
                                && check.detail()
                                        .startsWith("the version needs 1073741824 MiB, and this node has room for "))
                        .isPresent());
        // The same node is of use all the same.
        name(instance, 4, image, List.of());
        untilLives(instance, 4, image);
    }

    private static void spoil(Path image) throws Exception {
        try (var file = FileChannel.open(image, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var one = ByteBuffer.allocate(1);
            long at = file.size() / 2;
            file.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 1)).rewind();
            file.write(one, at);
        }
    }
}
