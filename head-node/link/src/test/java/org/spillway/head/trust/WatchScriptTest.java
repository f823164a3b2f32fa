package org.spillway.head.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The watch of a director's user data, with a {@code poweroff} that only says so and a clock that the test moves. */
@Timeout(600)
final class WatchScriptTest {
    @TempDir
    Path folder;

    private Path sign;
    private Process watch;

    @BeforeEach
    void make() throws Exception {
        sign = Files.createDirectories(folder.resolve("home/spillway-director/state"))
                .resolve("heard");
        program("poweroff", ": >" + folder.resolve("off") + "\nkill $PPID\n");
        program("getent", "echo spillway:x:1:1::" + folder.resolve("home") + ":/bin/sh\n");
        program("setsid", "exec \"$@\"\n");
        // Each round of the watch waits here, and the test says when it is over.
        program("sleep", "echo $1 >>" + folder.resolve("slept") + "\nread -r _ <" + folder.resolve("go") + "\n");
        assertThat(new ProcessBuilder("mkfifo", folder.resolve("go").toString())
                        .start()
                        .waitFor())
                .isZero();
    }

    @AfterEach
    void end() {
        List<ProcessHandle> all =
                Stream.concat(watch.descendants(), Stream.of(watch.toHandle())).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(one -> one.onExit().join());
    }

    @Test
    void powersOffWhenTheSignStaysAsItIs() throws Exception {
        start(Duration.ofSeconds(0));
        round();
        assertThat(watch.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(folder.resolve("off")).exists();
    }

    @Test
    void staysWhileTheSignChanges() throws Exception {
        start(Duration.ofSeconds(0));
        for (int i = 0; i < 5; i++) {
            awaitPause(i + 1);
            Files.writeString(sign, "word " + i);
            Files.setLastModifiedTime(sign, FileTime.fromMillis(1_000_000L * (i + 1)));
            round();
        }
        awaitPause(6);
        assertThat(folder.resolve("off")).doesNotExist();
        assertThat(watch.isAlive()).isTrue();
    }

    @Test
    void staysAsLongAsItIsTold() throws Exception {
        start(Duration.ofHours(24));
        for (int i = 0; i < 5; i++) {
            // Two words in one pipe would be read by one pause.
            awaitPause(i + 1);
            round();
        }
        awaitPause(6);
        assertThat(Files.readAllLines(folder.resolve("slept"))).first().isEqualTo("60");
        assertThat(folder.resolve("off")).doesNotExist();
        assertThat(watch.isAlive()).isTrue();
    }

    private void start(Duration limit) throws Exception {
        Path script = folder.resolve("watch");
        Files.writeString(script, UserData.watchScript(limit));
        var builder = new ProcessBuilder("sh", script.toString(), "stay").redirectErrorStream(true);
        builder.environment().put("PATH", folder + ":/usr/bin:/bin");
        builder.redirectOutput(folder.resolve("said").toFile());
        watch = builder.start();
    }

    /** Until it has looked so many times, less one, and waits. */
    private void awaitPause(int number) throws Exception {
        Path slept = folder.resolve("slept");
        long begun = System.nanoTime();
        while (!Files.exists(slept) || Files.readAllLines(slept).size() < number) {
            assertThat(watch.isAlive()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMinutes(3));
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Returns when the watch has begun to wait and was told to go on. */
    private void round() throws Exception {
        Process go = new ProcessBuilder("sh", "-c", "echo >" + folder.resolve("go")).start();
        assertThat(go.waitFor(180, TimeUnit.SECONDS)).isTrue();
    }

    private void program(String name, String text) throws Exception {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
