package org.spillway.director;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** A job's folder is a layer over what its node keeps: jobs do with their input what they like, and it stays as it was. */
@Tag("processes")
final class NodeOverTest extends OnNodes {
    /** A look at what tar has made for its user, and then all that one can do to files. */
    private static final String SPOILS = """
            ./run && cat 'data/deep/a name' && find . ! -user 60001
            find . -not -path './.spillway*' -type f -printf '%m %T@ %P\\n' -o -not -path './.spillway*' -type d -printf '%m %P\\n' | sort
            echo spoilt | tee 'data/deep/a name' run >>data/large
            chmod 640 data/deep/other && touch -d 2001-01-01 data/deep/other && ln data/deep/other data/linked
            before=$(stat -c %i data/deep) && mv data/deep data/moved && [ "$before" = "$(stat -c %i data/moved)" ] && echo moved at once
            rm data/gone && mkdir data/gone data/deep && echo new >data/deep/new
            cat 'data/moved/a name' && ls data data/deep && stat -c '%h %a %y' data/linked | cut -c 1-16
            mkdir results && cp data/deep/new results/new && ln data/moved/other results/other && mv data/large results/large
            """;

    private static final String FOUND = """
            runs
            seven
            600 1000000000.0000000000 data/deep/a name
            600 1000000000.0000000000 data/deep/other
            600 1000000000.0000000000 data/gone
            600 1000000000.0000000000 data/large
            700\s
            700 1000000000.0000000000 run
            700 data
            700 data/deep
            moved at once
            spoilt
            data:
            deep
            gone
            large
            linked
            moved

            data/deep:
            new
            2 640 2001-01-01
            """;

    private TestInstance instance;
    private byte[] bundle;
    private Path kept;

    @BeforeEach
    void boot() throws Exception {
        assumeTrue(TestNodes.ROOT, "only root may mount");
        instance = nodes.instance("over");
        Path home = folder.resolve("home");
        Files.createDirectories(home.resolve("data/deep"));
        Files.write(home.resolve("data/large"), new byte[3 << 20]);
        Files.writeString(home.resolve("data/gone"), "to be removed\n");
        Files.writeString(home.resolve("data/deep/a name"), "seven\n");
        Files.writeString(home.resolve("data/deep/other"), "other\n");
        Files.writeString(home.resolve("run"), "#!/bin/sh\necho runs\n");
        Files.setPosixFilePermissions(home.resolve("run"), PosixFilePermissions.fromString("rwxr-xr-x"));
        bundle = Tar.of(
                home,
                List.of(
                        "--mtime=@1000000000",
                        "run",
                        "data/large",
                        "data/gone",
                        "data/deep/a name",
                        "data/deep/other"));
        kept = instance.disk.resolve("spillway/inputs/60001-ann").resolve(site.stage("x", bundle) + ".tree");
    }

    private void begin() throws Exception {
        instance.boot(site.userData());
        site.untilReady(instance.id);
        assumeTrue(!over().equals("no"), "this kernel, or this disk, takes no layers: " + instance.console());
    }

    private String over() throws IOException {
        return Files.readString(instance.disk.resolve("spillway/over")).strip();
    }

    private void order(String job, String script) throws Exception {
        OrderDraft draft = nodes.draft(job, instance, script);
        String key = "jobs/" + job + "/in/0";
        draft.inputs = List.of(new JobOrder.Input(key, bundle.length, site.stage(key, bundle)));
        site.jobs.put(job, draft.order());
    }

    /** @return bytes that came for it */
    private long ends(String job) throws Exception {
        JobReport report = site.untilPhase(job, Phase.ENDED);
        assertThat(report.exitCode()).as(report.message() + log(job)).isZero();
        return requireNonNull(report.fetchedBytes());
    }

    private long run(String job, String script) throws Exception {
        order(job, script);
        return ends(job);
    }

    private String log(String job) throws IOException {
        return Files.readString(instance.disk.resolve("spillway/jobs/" + job + ".1/log"));
    }

    /** Of files, folders, and all that can be changed about them. */
    private String inside() throws Exception {
        Process find = new ProcessBuilder("sh", "-c", """
                cd "$0/in" && find . -printf '%y %m %U %s %T@ %C@ %p\\n' -type f -exec openssl dgst -sha256 -r '{}' ';' | sort
                """, kept.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(find.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(find.waitFor()).as(said).isZero();
        return said;
    }

    private static long mountsOf(String job) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                .filter(line -> line.contains("/work/" + job + ".1 "))
                .count();
    }

    @Test
    void whateverAJobDoesTheNextOneFindsWhatWasStaged() throws Exception {
        begin();
        assertThat(run("a", SPOILS)).isEqualTo(bundle.length);
        assertThat(nodes.stdout("a", instance)).isEqualTo(FOUND);
        String before = inside();
        for (String job : List.of("b", "c")) {
            assertThat(run(job, SPOILS)).isZero();
            assertThat(nodes.stdout(job, instance)).isEqualTo(FOUND);
            var results = site.results(job, "n-" + instance.id);
            assertThat(results).containsEntry("results/new", "new\n").containsEntry("results/other", "other\n");
            assertThat(requireNonNull(results.get("results/large"))).hasSize((3 << 20) + "spoilt\n".length());
            assertThat(log(job)).doesNotContain("gets a copy");
        }
        assertThat(inside()).isEqualTo(before);
        try (var left = Files.list(kept.getParent())) {
            assertThat(left).as("nothing is kept twice").containsExactly(kept);
        }
    }

    /** As rounds of outputs know files: what nobody wrote to is the same at each look, and what somebody wrote to is not. */
    @Test
    void aFileKeepsItsNumberAndItsTimeOfChangeTellsOfChanges() throws Exception {
        begin();
        run("a", "true\n");
        assertThat(run("b", """
                look() { find data run -type f -print0 | sort -z | xargs -0 stat -c '%i %s %.9Y %.9Z'; }
                look >first && cat data/large data/gone >read && look >second && cmp first second && echo the same
                chmod 640 data/gone && echo more >>data/large && look >third
                paste -d ' ' first third | awk '{ print ($1 == $5), ($4 == $8) }' | sort | uniq -c | tr -s ' '
                """)).isZero();
        assertThat(nodes.stdout("b", instance)).isEqualTo("the same\n 2 1 0\n 3 1 1\n");
    }

    @Test
    void whoWorksAtTheSameTimeSeesNothingOfTheOther() throws Exception {
        begin();
        run("a", "true\n");
        order("b", "echo b >data/gone; : >ready; until [ -e go ]; do sleep 0.05; done; cat data/gone; ls -d data/*\n");
        order("c", "rm -r data/deep; : >ready; until [ -e go ]; do sleep 0.05; done; cat data/gone; ls -d data/*\n");
        for (String job : List.of("b", "c")) {
            site.sync();
            Path work = instance.disk.resolve("work/" + job + ".1");
            TestNodes.await(job + " is there", () -> Files.exists(work.resolve("ready")));
            assertThat(mountsOf(job)).as("outside there is no mount").isZero();
            assertThat(work.resolve("data/large"))
                    .as("nothing was written for it")
                    .doesNotExist();
        }
        for (String job : List.of("b", "c")) {
            // By the job's own way in: a change below a mount is nobody's to make.
            String runner = Files.readString(instance.disk.resolve("spillway/jobs/" + job + ".1/runner"))
                    .strip();
            Path inside = Path.of("/proc", runner, "root", instance.disk.toString(), "work", job + ".1");
            assertThat(inside.resolve("data/large")).hasSize(3 << 20);
            Files.writeString(inside.resolve("go"), "");
            assertThat(ends(job)).isZero();
        }
        assertThat(nodes.stdout("b", instance)).isEqualTo("b\ndata/deep\ndata/gone\ndata/large\n");
        assertThat(nodes.stdout("c", instance)).isEqualTo("to be removed\ndata/gone\ndata/large\n");
    }

    /** Job b has spoilt what it sees of its input, and sleeps. @return what is kept, as it was before */
    private String spoilt(Path work) throws Exception {
        begin();
        run("a", "true\n");
        String before = inside();
        order("b", "echo spoilt >data/gone; rm -r data/deep; : >ready; sleep 600\n");
        site.sync();
        TestNodes.await("it is there", () -> Files.exists(work.resolve("ready")));
        // A tree whose bytes were never written down is made anew in the next life.
        TestNodes.await("its bytes are written down", () -> lines(kept.resolve("list")) == 2);
        return before;
    }

    @Test
    void afterAKillNothingIsMountedAndNothingIsLeftNorHarmed() throws Exception {
        Path work = instance.disk.resolve("work/b.1");
        String before = spoilt(work);
        NodeInputTest.endGroupOf(instance.disk.resolve("spillway/jobs/b.1/runner"));
        assertThat(site.untilPhase("b", Phase.ENDED).message()).contains("its runner is gone");
        site.jobs.remove("b");
        site.sync();
        TestNodes.await("it is forgotten", () -> !Files.exists(work));
        assertThat(instance.disk.resolve("spillway/jobs/b.1")).doesNotExist();
        assertThat(inside()).isEqualTo(before);
        assertThat(run("c", "cat data/gone data/deep/other\n")).isZero();
        assertThat(nodes.stdout("c", instance)).isEqualTo("to be removed\nother\n");
    }

    @Test
    void theAgentThatWasKilledWithAllOfItsProcessesGoesOn() throws Exception {
        Path work = instance.disk.resolve("work/b.1");
        String before = spoilt(work);
        instance.close();
        assertThat(mountsOf("b")).isZero();
        Files.delete(instance.disk.resolve("spillway/life"));
        instance.boot(site.userData());
        assertThat(site.untilPhase("b", Phase.ENDED).message()).contains("its runner is gone");
        site.jobs.remove("b");
        assertThat(run("c", "cat data/gone data/deep/other\n")).isZero();
        assertThat(nodes.stdout("c", instance)).isEqualTo("to be removed\nother\n");
        TestNodes.await("it is forgotten", () -> !Files.exists(work));
        assertThat(inside()).isEqualTo(before);
    }

    @Test
    void aTreeThatWasHalfMadeAtAKillIsNobodysAndGoes() throws Exception {
        instance.program("tar", """
                #!/bin/sh
                case $PWD in
                  */inputs/*)
                    [ ! -e "$SPILLWAY_INSTANCE_DIR/gate" ] || {
                      head -c 4096 | /usr/bin/tar "$@"
                      echo half >half
                      while [ -e "$SPILLWAY_INSTANCE_DIR/gate" ]; do sleep 0.05; done
                    } ;;
                esac
                exec /usr/bin/tar "$@"
                """);
        begin();
        Path gate = Files.createFile(instance.disk.resolve("gate"));
        Path half = Path.of(kept + ".a.1");
        order("a", "true\n");
        site.sync();
        TestNodes.await("it stopped half-way", () -> Files.exists(half.resolve("in/half")));
        NodeInputTest.endGroupOf(instance.disk.resolve("spillway/jobs/a.1/runner"));
        assertThat(site.untilPhase("a", Phase.ENDED).message()).contains("its runner is gone");
        Files.delete(gate);
        assertThat(run("b", SPOILS)).as("it had come whole").isZero();
        assertThat(nodes.stdout("b", instance)).isEqualTo(FOUND);
        assertThat(kept.resolve("in/half")).doesNotExist();
        Files.setLastModifiedTime(
                half.resolve("lock"), FileTime.from(Instant.now().minus(Duration.ofMinutes(11))));
        run("c", "true\n");
        TestNodes.await("what nobody finishes goes", () -> !Files.exists(half));
    }

    @Test
    void aTreeThatWasChangedIsFetchedAnew() throws Exception {
        begin();
        run("a", "true\n");
        Files.writeString(kept.resolve("in/data/gone"), "to be REMOVED\n");
        assertThat(run("b", "cat data/gone\n")).isEqualTo(bundle.length);
        assertThat(nodes.stdout("b", instance)).isEqualTo("to be removed\n");
        assertThat(log("b")).contains("is not what it was");
        // A mode alone.
        Files.setPosixFilePermissions(kept.resolve("in/data/gone"), PosixFilePermissions.fromString("rwx------"));
        assertThat(run("c", "stat -c %a data/gone\n")).isEqualTo(bundle.length);
        assertThat(nodes.stdout("c", instance)).isEqualTo("600\n");
    }

    /** A disk that rots sets no time: what was written down of the bytes is made not to fit. */
    @Test
    void bytesAreReadOnceAnHourAndInEachLifeOfTheMachine() throws Exception {
        begin();
        run("a", "true\n");
        Path list = kept.resolve("list");
        TestNodes.await("its bytes are written down", () -> lines(list) == 2);
        rot(list);
        assertThat(run("b", "true\n")).as("looked at a moment ago").isZero();
        Files.setLastModifiedTime(list, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        assertThat(run("c", "cat data/gone\n")).isEqualTo(bundle.length);
        TestNodes.await("its bytes are written down", () -> lines(list) == 2);
        rot(list);
        Files.setLastModifiedTime(
                instance.disk.resolve("spillway/life"),
                FileTime.from(Instant.now().plusSeconds(60)));
        assertThat(run("d", "cat data/gone\n")).isEqualTo(bundle.length);
        assertThat(nodes.stdout("d", instance)).isEqualTo("to be removed\n");
    }

    private static void rot(Path list) throws IOException {
        List<String> lines = Files.readAllLines(list);
        FileTime written = Files.getLastModifiedTime(list);
        try (var file = new RandomAccessFile(list.toFile(), "rw")) {
            file.seek(lines.getFirst().length() + 1);
            file.writeBytes("0".repeat(64));
        }
        Files.setLastModifiedTime(list, written);
    }

    static int lines(Path file) {
        try {
            return Files.readAllLines(file).size();
        } catch (IOException notYet) {
            return 0;
        }
    }

    @Test
    void whereAMountIsRefusedJobsGetCopies() throws Exception {
        instance.program("mount", """
                #!/bin/sh
                case "$*" in
                  *work/b.1*) echo 'mount: not for this one' >&2; exit 32 ;;
                esac
                exec /usr/bin/mount "$@"
                """);
        begin();
        assertThat(run("a", SPOILS)).isEqualTo(bundle.length);
        assertThat(run("b", SPOILS)).isZero();
        assertThat(nodes.stdout("b", instance)).isEqualTo(FOUND);
        assertThat(log("b")).contains("gets a copy of its input, and no layer over it: mount: not for this one");
        assertThat(run("c", SPOILS)).isZero();
        assertThat(log("c")).doesNotContain("copy");
    }

    @Test
    void aMachineThatTakesNoLayersSaysSoOnceAndKeepsInputsPacked() throws Exception {
        instance.program("mount", """
                #!/bin/sh
                case "$*" in
                  *overlay*) echo 'mount: unknown filesystem type' >&2; exit 32 ;;
                esac
                exec /usr/bin/mount "$@"
                """);
        instance.boot(site.userData());
        site.untilReady(instance.id);
        assertThat(over()).isEqualTo("no");
        Files.writeString(instance.disk.resolve("spillway/reflinks"), "no\n");
        assertThat(run("a", SPOILS)).isEqualTo(bundle.length);
        assertThat(run("b", SPOILS)).isZero();
        assertThat(nodes.stdout("b", instance)).isEqualTo(FOUND);
        assertThat(instance.console())
                .containsOnlyOnce("gets a copy of its input, and no layer over it: mount: unknown");
    }
}
