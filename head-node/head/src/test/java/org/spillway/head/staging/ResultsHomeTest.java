package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserWorkers;

/** With GNU tar, as a child's machine has it, and a worker of this user. */
final class ResultsHomeTest {
    @TempDir
    Path folder;

    private UserWorkers workers;
    private ResultsHome home;
    private Identity user;

    @BeforeEach
    void open() throws IOException {
        workers = new UserWorkers(UserWorkers.Limits.DEFAULT, InstantSource.system());
        home = new ResultsHome(workers);
        user = new Identity("me", Identity.ownUid(), (int) Files.getAttribute(folder, "unix:gid"), List.of());
    }

    @AfterEach
    void close() {
        workers.close();
    }

    private static void tar(Path in, String name, OutputStream sink) throws IOException {
        var process =
                new ProcessBuilder("tar", "-chf", "-", "--hard-dereference", "-C", in.toString(), "--", name).start();
        process.getInputStream().transferTo(sink);
        try {
            if (process.waitFor() != 0) {
                throw new IOException("tar failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private int bring(String name, Path to) throws IOException {
        return home.bring(user, name, to, "c1-7", sink -> tar(folder.resolve("there"), name, sink));
    }

    @Test
    void filesAndFoldersOfAnyNameComeHomeAndNothingHiddenStays() throws IOException {
        Path there = Files.createDirectories(folder.resolve("there"));
        String odd = "a*b [1] {x,y} \\ é!";
        Files.writeString(there.resolve(odd), "one");
        Files.createDirectories(there.resolve("deep/er/.hidden"));
        Files.writeString(there.resolve("deep/er/.hidden/file"), "two");
        Files.writeString(there.resolve(".dotted"), "three");
        Path at = folder.resolve("home/main-c1-7");
        assertThat(bring(odd, at.resolve(odd))).isEqualTo(1);
        assertThat(bring("deep", at.resolve("deep"))).isEqualTo(1);
        assertThat(bring(".dotted", at.resolve(".dotted"))).isEqualTo(1);
        assertThat(bring(odd, at.resolve(odd))).as("again").isEqualTo(1);
        assertThat(at.resolve(odd)).hasContent("one");
        assertThat(at.resolve("deep/er/.hidden/file")).hasContent("two");
        assertThat(at.resolve(".dotted")).hasContent("three");
        try (var all = Files.walk(folder.resolve("home"))) {
            assertThat(all.map(Path::toString)).noneMatch(name -> name.contains("spillway-"));
        }
    }

    @Test
    void aTarThatIsNotWholePutsNothingIntoPlace() throws IOException {
        Path there = Files.createDirectories(folder.resolve("there"));
        Files.writeString(there.resolve("a"), "one");
        Path at = folder.resolve("home/a");
        assertThatThrownBy(() -> home.bring(user, "a", at, "c1-7", sink -> {
                    tar(there, "a", sink);
                    throw new IOException("the connection was cut");
                }))
                .hasMessageContaining("cut");
        assertThat(at).doesNotExist();
        assertThat(bring("a", at)).isEqualTo(1);
        assertThat(at).hasContent("one");
    }

    @Test
    void whatWouldLeaveItsPlaceIsNotPutAnywhere() throws IOException {
        Path there = Files.createDirectories(folder.resolve("there"));
        Files.writeString(there.resolve("a"), "one");
        Files.writeString(there.resolve("b"), "two");
        Path at = folder.resolve("home/main-c1-7/a");
        assertThat(home.bring(user, "a", at, "c1-7", sink -> tar(there, "b", sink)))
                .as("another name than was asked for")
                .isZero();
        assertThat(at).doesNotExist();
        assertThat(folder.resolve("home/main-c1-7/b")).doesNotExist();
    }

    @Test
    void aFolderThatMayNotBeWrittenIsRefused() throws IOException {
        home.check(user, folder.resolve("new/folder"), "cluster-demo1");
        try (var all = Files.list(folder.resolve("new/folder"))) {
            assertThat(all).isEmpty();
        }
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> home.check(user, file, "cluster-demo1")).isInstanceOf(IOException.class);
    }
}
