package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.stage.worker.UserFiles.Found;
import org.spillway.stage.worker.UserFiles.Limits;

class FindTest extends OwnWorker {
    private List<String> find(String pattern) throws IOException {
        return worker.find(folder + "/" + pattern, ROOMY).stream()
                .map(file -> folder.relativize(Path.of(file.path())).toString())
                .toList();
    }

    @Test
    void findsFilesFoldersAndPatternsSorted() throws IOException {
        for (String name :
                List.of("b/z.csv", "b/a.csv", "b/deep/er/c.csv", "a b/ü\n.csv", "x.txt", ".hidden/s.csv", "b/.h")) {
            file(name, name);
        }
        Files.createDirectories(folder.resolve("empty/folder"));
        assertThat(find("x.txt")).containsExactly("x.txt");
        assertThat(find("b")).containsExactly("b/.h", "b/a.csv", "b/deep/er/c.csv", "b/z.csv");
        assertThat(find("b/")).hasSize(4);
        assertThat(find("b/*.csv")).containsExactly("b/a.csv", "b/z.csv");
        assertThat(find("**/*.csv")).containsExactly("a b/ü\n.csv", "b/a.csv", "b/deep/er/c.csv", "b/z.csv");
        assertThat(find("{x.txt,b/{a,z}.csv}")).containsExactly("b/a.csv", "b/z.csv", "x.txt");
        assertThat(find(".*/*")).containsExactly(".hidden/s.csv");
        assertThat(find("*")).doesNotContain(".hidden/s.csv").contains("b/.h");
        assertThat(started).hasSize(1);
    }

    @Test
    void tellsWhatIsKnownOfAFile() throws IOException {
        Path file = file("tool", "12345");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(worker.find(file.toString(), ROOMY))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("stamp")
                .containsExactly(new Found(
                        file.toString(),
                        file.toString(),
                        5,
                        1_700_000_000_123_456_000L,
                        true,
                        new UserFiles.Stamp("", 0, false)));
    }

    @Test
    void followsLinksToFilesAndEntersNoFolderBehindALink() throws IOException {
        Path real = file("real/data.csv", "data");
        Files.createDirectories(folder.resolve("in"));
        Files.createSymbolicLink(folder.resolve("in/link.csv"), real);
        Files.createSymbolicLink(folder.resolve("in/tree"), real.getParent());
        Files.createSymbolicLink(folder.resolve("in/nothing.csv"), folder.resolve("gone"));
        Files.createSymbolicLink(folder.resolve("in/loop"), folder.resolve("in"));
        Files.createSymbolicLink(folder.resolve("in/itself"), folder.resolve("in/itself"));
        List<Found> found = worker.find(folder + "/in", ROOMY);
        assertThat(found).hasSize(1);
        assertThat(found.getFirst().path()).isEqualTo(folder + "/in/link.csv");
        assertThat(found.getFirst().realPath()).isEqualTo(real.toString());
        assertThat(found.getFirst().bytes()).isEqualTo(4);
        assertThat(find("in/**/*.csv")).containsExactly("in/link.csv");

        List<Found> behind = worker.find(folder + "/in/tree", ROOMY); // the user named that very link
        assertThat(behind).hasSize(1);
        assertThat(behind.getFirst().path()).isEqualTo(folder + "/in/tree/data.csv");
        assertThat(behind.getFirst().realPath()).isEqualTo(real.toString());
    }

    @Test
    void leavesOutWhatIsNoFileAndPartFilesOfOurs() throws IOException {
        file("a", "a");
        file(".a.spillway-7-1.part", "growing");
        file(".spillway-7-1.part", "growing");
        run(folder, "mkfifo", "pipe");
        assertThat(worker.find(folder.toString(), ROOMY)).hasSize(1);
        assertThatThrownBy(() -> find("pipe")).isInstanceOf(FileRefused.class).hasMessageContaining("no regular file");
    }

    @Test
    void saysWhatItRefuses() throws IOException {
        file("a/1", "12");
        file("a/2", "34");
        Files.createDirectory(folder.resolve("empty"));
        assertThatThrownBy(() -> find("a/*.csv"))
                .isInstanceOf(FileRefused.class)
                .hasMessage(folder + "/a/*.csv: nothing matches");
        assertThatThrownBy(() -> find("no/such/*"))
                .isInstanceOf(FileRefused.class)
                .hasMessageStartingWith(folder + "/no/such: no such file or folder");
        assertThatThrownBy(() -> find("no"))
                .isInstanceOf(FileRefused.class)
                .hasMessage(folder + "/no: no such file or folder");
        assertThatThrownBy(() -> find("empty")).isInstanceOf(FileRefused.class).hasMessageContaining("no regular file");
        assertThatThrownBy(() -> find("a/1/x")).isInstanceOf(FileRefused.class);
        assertThatThrownBy(() -> find("a/[")).isInstanceOf(FileRefused.class).hasMessageContaining("is not closed");
        assertThatThrownBy(() -> worker.find("relative", ROOMY))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("absolute");
        assertThatThrownBy(() -> worker.find(folder + "/a", new Limits(1, 100)))
                .isInstanceOf(FileRefused.class)
                .hasMessage(folder + "/a: more than 1 files");
        assertThatThrownBy(() -> worker.find(folder + "/a", new Limits(2, 3)))
                .isInstanceOf(FileRefused.class)
                .hasMessage(folder + "/a: the files have more than 3 bytes");
        assertThat(worker.find(folder + "/a", new Limits(2, 4))).hasSize(2);
        assertThat(started).as("a refusal does not cost the process").hasSize(1);
    }

    @Test
    void aNameThatIsNotUtf8IsNamed() throws IOException {
        run(folder, "sh", "-c", "touch a \"$(printf 'b\\377')\"");
        assertThatThrownBy(() -> find("*")).isInstanceOf(FileRefused.class).hasMessageContaining("is not UTF-8");
        assertThat(find("a*")).containsExactly("a");
    }

    @Test
    void whatTheUserMayNotReadIsRefused() throws IOException {
        assumeTrue(Identity.ownUid() != 0, "root may read all; UserWorkersTest does it as another user");
        Path secret = file("in/secret", "x");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("---------"));
        assertThatThrownBy(() -> find("in")).isInstanceOf(FileRefused.class).hasMessage(secret + ": permission denied");
    }
}
