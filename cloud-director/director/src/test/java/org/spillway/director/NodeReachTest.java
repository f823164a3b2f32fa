package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.reach.HomeQuestions;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.Reach;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.stage.Sha256;
import org.spillway.stage.worker.Identity;

/** ADR 67: what lies in a user's home is read by a job that has not named it. The node sees nothing of it by itself. */
@Tag("processes")
final class NodeReachTest extends OnNodes {
    private Path homes;
    private Path ann;
    private HomeSide home;

    @BeforeEach
    void home() throws Exception {
        assumeTrue(TestNodes.ROOT, "not root: nodes mount nothing");
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "no /dev/fuse");
        homes = folder.resolve("home");
        ann = homes.resolve("ann");
        Files.createDirectories(ann.resolve("data"));
        Files.setPosixFilePermissions(homes, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(ann.resolve("data/x"), "of home\n");
        Files.writeString(ann.resolve(".profile"), "kept\n");
        site.homes = homes.toString();
        site.addUser("ann", TestNodes.UID);
        site.untilDirectoryIsThere();
        site.reach = new Reach(List.of());
        owned();
        home = new HomeSide(site, new Identity("ann", TestNodes.UID, TestNodes.UID, List.of()), ann);
    }

    private void owned() throws Exception {
        assertThat(new ProcessBuilder("chown", "-Rh", TestNodes.UID + ":" + TestNodes.UID, ann.toString())
                        .start()
                        .waitFor())
                .isZero();
        Files.setPosixFilePermissions(ann, PosixFilePermissions.fromString("rwx------"));
    }

    @AfterEach
    void close() throws Exception {
        if (home != null) {
            home.close();
        }
    }

    private TestInstance node(String id) throws Exception {
        String hide = "mount -t tmpfs none " + homes + " && exec \"$@\"";
        TestInstance instance = nodes.instance(id, "unshare", "--mount", "sh", "-c", hide, "hide");
        instance.boot(site.userData());
        site.untilReady(instance.id);
        return instance;
    }

    private Map<String, String> run(String job, TestInstance instance, String script) throws Exception {
        nodes.order(job, instance, script);
        var report = site.untilPhase(job, Phase.ENDED);
        assertThat(report.exitCode()).as(report.message() + instance.console()).isZero();
        return site.results(job, "n-" + instance.id);
    }

    @Test
    void aJobReadsWhatItHasNotNamedAndWritesWithoutTouchingIt() throws Exception {
        byte[] large = new byte[3_000_000];
        new Random(1).nextBytes(large);
        Files.write(ann.resolve("large"), large);
        owned();
        TestInstance instance = node("reads");
        var results = run("a", instance, """
                mkdir results && cat ~/data/x >results/x && sha256sum <~/large >results/large
                echo more >>~/.profile && cat ~/.profile >results/profile && rm ~/data/x && ls ~/data >results/left
                mkdir ~/results && echo new >~/results/new
                echo "$HOME" >results/home
                """);
        assertThat(results)
                .containsEntry("results/x", "of home\n")
                .containsEntry("results/profile", "kept\nmore\n")
                .containsEntry("results/left", "")
                .containsEntry("results/home", ann + "\n")
                .containsEntry("results/new", "new\n");
        assertThat(results.get("results/large"))
                .startsWith(HexFormat.of().formatHex(Sha256.digest().digest(large)));
        assertThat(ann.resolve(".profile")).hasContent("kept\n");
        assertThat(ann.resolve("data/x")).hasContent("of home\n");
        assertThat(ann.resolve("results")).doesNotExist();
    }

    /** Two thousand files one by one would be as many questions and more, each of which takes a round trip. */
    @Test
    void smallFilesOfAFolderComeManyAtATime() throws Exception {
        Path many = Files.createDirectories(ann.resolve("many"));
        for (int i = 0; i < 2000; i++) {
            Files.writeString(many.resolve("small-" + i), Integer.toString(i).repeat(600));
        }
        owned();
        TestInstance instance = node("many");
        Path last = many.resolve("small-1999");
        TestNodes.await("the clock went on", () -> home.isSettled(last));
        home.away = Duration.ofMillis(40);
        home.asked.clear();
        var results = run("m", instance, """
                mkdir results; began=$(date +%s%3N)
                tar -cf - -C ~ many | tar -tvf - | awk '/small/ { n++; b += $3 } END { print n, b }' >results/found
                echo $(($(date +%s%3N) - began)) >results/took
                """);
        assertThat(results).containsEntry("results/found", "2000 4134000\n");
        assertThat(home.asked).as(results.get("results/took")).hasSizeLessThan(100);
    }

    /** A job that is up, and waits for a word before it reads. */
    private OrderDraft waiting(String job, TestInstance instance, String reads) throws Exception {
        var draft = nodes.draft(
                job, instance, "mkdir results; : >up; until [ -e go ]; do sleep 0.1; done\n" + reads + "\n");
        site.jobs.put(job, draft.order());
        site.untilPhase(job, Phase.RUNNING);
        Path place = instance.disk.resolve("work/" + job + ".1");
        TestNodes.await("it is up", () -> Files.exists(place.resolve("up")));
        return draft;
    }

    private static void go(String job, TestInstance instance) throws Exception {
        Files.createFile(instance.disk.resolve("work/" + job + ".1/go"));
    }

    @Test
    void aReadWaitsForALinkThatIsCut() throws Exception {
        TestInstance instance = node("cut");
        waiting("c", instance, "cat ~/data/x >results/x");
        home.cut = true;
        go("c", instance);
        TestNodes.await("it reads", () -> TestNodes.runs("cat\0" + ann + "/data/x"));
        home.cut = false;
        assertThat(site.untilPhase("c", Phase.ENDED).exitCode()).isZero();
        assertThat(site.results("c", "n-" + instance.id)).containsEntry("results/x", "of home\n");
    }

    /** Nobody waits for home any longer than the node may serve. */
    @Test
    void aCutThatOutlivesTheLeaseEndsTheJobAndItsHome() throws Exception {
        TestInstance instance = node("outlived");
        waiting("o", instance, "cat ~/data/x >results/x");
        home.cut = true;
        go("o", instance);
        TestNodes.await("it reads", () -> TestNodes.runs("cat\0" + ann + "/data/x"));
        site.leaseSeconds = 10;
        site.sync();
        // No directive any more.
        TestNodes.await("powered off", instance::poweredOff);
        TestNodes.await("it reads no more", () -> !TestNodes.runs("cat\0" + ann + "/data/x"));
        TestNodes.await("nothing serves it", () -> !TestNodes.runs(instance.id + "/spillway/jobs/o.1/reach\0"));
    }

    /** Within less than the director's patience: what waits for home has to go without it. */
    @Test
    void aJobThatWaitsForHomeIsEndedAllTheSame() throws Exception {
        TestInstance instance = node("end");
        var draft = waiting("e", instance, "cat ~/data/x");
        home.cut = true;
        go("e", instance);
        TestNodes.await("it reads", () -> TestNodes.runs("cat\0" + ann + "/data/x"));
        Instant begun = Instant.now();
        draft.cancel = true;
        site.jobs.put("e", draft.order());
        assertThat(site.untilPhase("e", Phase.ENDED).exitCode()).isNotZero();
        assertThat(Duration.between(begun, Instant.now())).isLessThan(HomeQuestions.PATIENCE.dividedBy(2));
        assertThat(TestNodes.runs(instance.id + "/spillway/jobs/e.1/reach\0")).isFalse();
        assertThat(Files.readString(Path.of("/proc/self/mounts"))).doesNotContain(instance.id);
    }

    @Test
    void nothingIsLeftOfAJobWhoseRunnerWasKilled() throws Exception {
        TestInstance instance = node("killed");
        waiting("k", instance, "cat ~/data/x");
        String program = instance.id + "/spillway/jobs/k.1/reach\0";
        assertThat(TestNodes.runs(program)).isTrue();
        Path runner = instance.disk.resolve("spillway/jobs/k.1/runner");
        ProcessHandle.of(Long.parseLong(Files.readString(runner).strip()))
                .orElseThrow()
                .destroyForcibly();
        assertThat(site.untilPhase("k", Phase.ENDED).exitCode()).isEqualTo(137);
        TestNodes.await("nothing serves it", () -> !TestNodes.runs(program));
    }

    @Test
    void homeThatIsGoneIsAnErrorAndNeverAnEmptyFolder() throws Exception {
        TestInstance instance = node("gone");
        waiting("g", instance, "ls ~/data >results/listed 2>results/said && exit 9; echo kept >results/kept");
        Path line = instance.disk.resolve("spillway/jobs/g.1/reach/line");
        ProcessHandle serving =
                ProcessHandle.of(Long.parseLong(Files.readString(line).strip())).orElseThrow();
        serving.destroyForcibly();
        serving.onExit().get();
        go("g", instance);
        assertThat(site.untilPhase("g", Phase.ENDED).exitCode()).isZero();
        assertThat(site.results("g", "n-" + instance.id))
                .containsEntry("results/listed", "")
                .containsEntry("results/kept", "kept\n");
        assertThat(site.results("g", "n-" + instance.id).get("results/said")).contains("not connected");
    }

    /**
     * Files that were open are read on, what is looked for meanwhile waits, and what is written is kept. A file that has become
     * another one is an error, of that file alone, and neither the end of the file nor zeros.
     */
    @Test
    void aDirectorThatIsStartedAgainCostsNobodyItsHome() throws Exception {
        byte[] large = new byte[40_000_000];
        new Random(2).nextBytes(large);
        Files.write(ann.resolve("large"), large);
        Files.write(ann.resolve("other"), large);
        owned();
        TestInstance instance = node("restarted");
        String job = """
                mkdir results ~/results; exec 7>>~/results/notes 8<~/large 9<~/other
                head -c 1000 <&8 >results/begin; head -c 1000 <&9 >results/none
                : >up; until [ -e go ]; do sleep 0.1; done
                echo written >&7; cat ~/data/x >results/x; echo new >~/results/new; ls ~/data >results/listed
                sha256sum <&8 | cut -d ' ' -f 1 >results/rest
                cat <&9 >rest 2>results/said && exit 9; echo kept >results/kept
                cat ~/data/x >results/still; tail -c 1 ~/other | od -An -tu1 | tr -d ' ' >results/anew
                wc -c <rest >results/bytes; sha256sum <rest | cut -d ' ' -f 1 >results/other
                """;
        site.jobs.put("d", nodes.draft("d", instance, job).order());
        site.untilPhase("d", Phase.RUNNING);
        Path place = instance.disk.resolve("work/d.1");
        TestNodes.await("it is up", () -> Files.exists(place.resolve("up")));
        site.stopDirector();
        large[39_999_999]++;
        Files.write(ann.resolve("other"), large);
        large[39_999_999]--;
        go("d", instance);
        TestNodes.await("it reads", () -> TestNodes.runs("cat\0" + ann + "/data/x"));
        assertThat(instance.disk.resolve("work/d.1/results/listed")).doesNotExist();
        site.startDirector();
        var end = site.untilPhase("d", Phase.ENDED);
        var results = site.results("d", "n-" + instance.id);
        assertThat(end.exitCode())
                .as(results.get("results/said") + instance.console())
                .isZero();
        assertThat(results)
                .containsEntry("results/x", "of home\n")
                .containsEntry("results/listed", "x\n")
                .containsEntry("results/rest", sha256(large, 1000, large.length - 1000) + "\n")
                .containsEntry(
                        "results/other",
                        sha256(
                                        large,
                                        1000,
                                        Integer.parseInt(
                                                results.get("results/bytes").strip())) + "\n")
                .containsEntry("results/kept", "kept\n")
                .containsEntry("results/notes", "written\n")
                .containsEntry("results/new", "new\n");
        assertThat(results.get("results/said")).contains("Input/output error");
        assertThat(results)
                .containsEntry("results/still", "of home\n")
                .containsEntry("results/anew", Byte.toUnsignedInt((byte) (large[39_999_999] + 1)) + "\n");
    }

    private static String sha256(byte[] bytes, int from, int length) {
        var digest = Sha256.digest();
        digest.update(bytes, from, length);
        return HexFormat.of().formatHex(digest.digest());
    }

    @Test
    void whatIsNotTheUsersIsNotWithinReach() throws Exception {
        Path bob = Files.createDirectories(homes.resolve("bob"));
        Files.writeString(bob.resolve("secret"), "bob's");
        Files.createSymbolicLink(ann.resolve("out"), bob.resolve("secret"));
        Files.writeString(ann.resolve("roots"), "root's");
        owned();
        Files.setOwner(ann.resolve("roots"), Files.getOwner(folder));
        Files.setPosixFilePermissions(ann.resolve("roots"), PosixFilePermissions.fromString("rw-------"));
        TestInstance instance = node("confined");
        nodes.order("n", instance, """
                mkdir results; exec 2>results/said
                for each in out roots ../bob/secret; do cat ~/"$each" && exit 9; done
                ls -l ~/out | sed 's/.*-> //' >results/link
                """);
        assertThat(site.untilPhase("n", Phase.ENDED).exitCode()).isZero();
        var results = site.results("n", "n-" + instance.id);
        assertThat(results.get("results/said").lines())
                .hasSize(3)
                .anyMatch(line -> line.contains("out: No such file"))
                .anyMatch(line -> line.contains("roots: Permission denied"))
                .anyMatch(line -> line.contains("secret: No such file"));
        assertThat(results).containsEntry("results/link", bob.resolve("secret") + "\n");
    }

    @Test
    void theOrderIsTheCredential() throws Exception {
        site.authority.issue("one", "node:n-one", "127.0.0.1");
        site.authority.issue("two", "node:n-two", "127.0.0.1");
        site.nodes.add(new NodeGrant("n-one"));
        site.nodes.add(new NodeGrant("n-two"));
        site.jobs.put("j", new OrderDraft("j", "n-one", TestNodes.UID, "true\n").order());
        site.sync();
        try (HttpClient one = site.clientOf("one");
                HttpClient two = site.clientOf("two")) {
            assertThat(reach(two, "j/1")).isEqualTo(403);
            assertThat(reach(one, "j/2")).isEqualTo(403);
            assertThat(reach(one, "other/1")).isEqualTo(403);
            assertThat(site.send(one, "POST", "/v1/reach/questions", new byte[0])
                            .statusCode())
                    .isEqualTo(404);
            try (InputStream open = open(one, "j/1").body()) {
                assertThat(new DataInputStream(open).readInt()).isEqualTo(5);
            } catch (IOException ended) {
                // The JDK's client forgets what came when the end of it came first: the nine bytes of VERSION.
                assertThat(ended).hasStackTraceContaining("bytes received: 9");
            }
            site.jobs.remove("j");
            site.sync();
            assertThat(reach(one, "j/1")).isEqualTo(403);
            site.jobs.put("j", new OrderDraft("j", "n-one", TestNodes.UID, "true\n").order());
            site.reach = null;
            site.sync();
            assertThat(reach(one, "j/1")).isEqualTo(404);
        }
    }

    private int reach(HttpClient node, String attempt) throws Exception {
        return open(node, attempt).statusCode();
    }

    /** SFTP begins with a packet of five bytes, INIT, from either side. */
    private HttpResponse<InputStream> open(HttpClient node, String attempt) throws Exception {
        byte[] init = {0, 0, 0, 5, 1, 0, 0, 0, 3};
        return node.send(
                HttpRequest.newBuilder(URI.create(site.url() + "/v1/jobs/" + attempt + "/reach"))
                        .POST(BodyPublishers.ofByteArray(init))
                        .build(),
                BodyHandlers.ofInputStream());
    }
}
