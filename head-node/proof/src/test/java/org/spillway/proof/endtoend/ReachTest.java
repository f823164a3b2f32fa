package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;

/** ADR 67: a script that names nothing reads its user's home, also over a head and a director that are killed in the midst of it, and a disk that is full. */
@Tag("processes")
@Timeout(600)
final class ReachTest {
    private static final String SCRIPT = """
            #!/bin/sh
            cat ~/data/x >out
            grep -c " $HOME overlay " /proc/mounts >>out
            : >%1$s/first
            while [ ! -e %1$s/second ]; do sleep 0.1; done
            cat ~/data/y >>out
            echo changed >~/data/x
            """;

    /** In the midst of a file that no memory holds as a whole, and with one open that it writes to. */
    private static final String LONG_SCRIPT = """
            #!/bin/sh
            exec 7>>~/notes 8<~/data/large
            head -c 1000 <&8 >begin
            : >%1$s/first
            while [ ! -e %1$s/second ]; do sleep 0.1; done
            echo written >&7
            cat ~/data/y >out
            cat begin - <&8 | sha256sum >>out
            echo new >~/new
            """;

    private static final String MUCH = """
            #!/bin/sh
            cat ~/data/x >out
            head -c 3000000 /dev/zero | tr '\\0' a >much
            head -c 3000000 /dev/zero | tr '\\0' b >~/kept
            """;

    @TempDir
    Path given;

    private Path folder = Path.of("/");
    private Path home = folder;
    private Path signs = folder;
    private Path results = folder;
    private @Nullable HeadFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "not root: nodes mount nothing");
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "no /dev/fuse");
        folder = given.toRealPath();
        home = Files.createDirectories(folder.resolve("users/root"));
        signs = Files.createDirectories(folder.resolve("signs"));
        results = Files.createDirectories(folder.resolve("results"));
        Files.createDirectories(home.resolve("data"));
        Files.writeString(home.resolve("data/x"), "x of home\n");
        Files.writeString(home.resolve("data/y"), "y of home\n");
        Path passwd = Files.writeString(folder.resolve("passwd"), "root:x:0:0:root:" + home + ":/bin/sh\n");
        Path group = Files.writeString(folder.resolve("group"), "root:x:0:\n");
        String directory = "{ source: file, passwd: " + passwd + ", group: " + group + " }";
        HeadFixture made = new HeadFixture(folder, directory);
        fixture = made;
        Path config = made.folder().resolve("spillway.yaml");
        Files.writeString(
                config, Files.readString(config).replace("maxNodes: 2", "maxNodes: 2\n    nodes: { home: reach }"));
    }

    @AfterEach
    void end() throws IOException {
        if (fixture != null) {
            fixture.close();
        }
    }

    private HeadFixture head() {
        return Objects.requireNonNull(fixture);
    }

    private String submit(String script, String... outputs) {
        return head().submit(JobSubmission.of(asked -> {
            asked.name = "plain";
            asked.script = script;
            asked.scriptName = "job.sh";
            asked.walltimeSeconds = 300;
            asked.folder = results.toString();
            asked.outputs = Stream.of(outputs)
                    .map(name ->
                            new JobSubmission.Output(name, results.resolve(name).toString(), false, false))
                    .toList();
        }));
    }

    private void awaitFirst(String id) {
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> Files.exists(signs.resolve("first"))))
                .as(() -> head().job(id) + head().tail())
                .isTrue();
    }

    private JobDetail done(String id) {
        JobDetail done = head().awaitEnd(id);
        assertThat(done.job().state()).as(done + head().tail()).isEqualTo(JobState.DONE);
        return done;
    }

    @Test
    void aScriptThatNamesNothingReadsItsHome() throws Exception {
        head().start();
        String id = submit(SCRIPT.formatted(signs), "out");
        awaitFirst(id);
        head().kill();
        Files.createFile(signs.resolve("second"));
        head().start();
        JobDetail done = done(id);
        assertThat(results.resolve("out")).hasContent("x of home\n1\ny of home\n");
        assertThat(home.resolve("data/x")).hasContent("x of home\n");
        assertThat(results.resolve("spillway-" + id + "/HOME/data/x")).hasContent("changed\n");
        assertThat(done.warnings()).anyMatch(said -> said.startsWith("HOME_READ: 1 file of its user's home, 10 B"));
    }

    @Test
    void aDirectorThatIsKilledCostsAJobNothing() throws Exception {
        byte[] large = new byte[20_000_000];
        new Random(3).nextBytes(large);
        Files.write(home.resolve("data/large"), large);
        head().start();
        String id = submit(LONG_SCRIPT.formatted(signs), "out");
        awaitFirst(id);
        List<Long> directors = BadLuckTest.processes(head(), "director");
        assertThat(directors).isNotEmpty();
        directors.forEach(Processes::kill);
        Files.createFile(signs.resolve("second"));
        done(id);
        String sum =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(large));
        assertThat(results.resolve("out")).hasContent("y of home\n" + sum + "  -\n");
        assertThat(results.resolve("spillway-" + id + "/HOME/notes")).hasContent("written\n");
        assertThat(results.resolve("spillway-" + id + "/HOME/new")).hasContent("new\n");
    }

    /** Said, and tried again: nothing half is there to be taken for a result, and what comes later is whole. */
    @Test
    void aHomeThatIsFullGetsWhatThereIsRoomForLater() throws Exception {
        String mount = "mount -t tmpfs -o size=2m none " + results + " && exec \"$@\"";
        head().under(List.of("unshare", "--mount", "sh", "-c", mount, "full"), Map.of())
                .start();
        String id = submit(MUCH, "out", "much");
        JobDetail waits = head().await(
                        id,
                        job -> job.state() == JobState.STAGING_OUT
                                && job.reason().contains("free"));
        Path seen = Path.of("/proc", Long.toString(head().running().pid()), "root" + results);
        assertThat(waits.job().reason()).contains(results.toString());
        assertThat(seen.resolve("much")).doesNotExist();
        assertThat(seen.resolve("spillway-" + id + "/HOME/kept")).doesNotExist();
        assertThat(new ProcessBuilder(
                                "nsenter",
                                "-m",
                                "-t",
                                Long.toString(head().running().pid()),
                                "mount",
                                "-o",
                                "remount,size=64m",
                                results.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        JobDetail done = done(id);
        assertThat(done.job().attempt()).isEqualTo(waits.job().attempt());
        assertThat(seen.resolve("out")).hasContent("x of home\n");
        assertThat(seen.resolve("much")).hasContent("a".repeat(3_000_000));
        assertThat(seen.resolve("spillway-" + id + "/HOME/kept")).hasContent("b".repeat(3_000_000));
        assertThat(home.resolve("kept")).doesNotExist();
    }
}
