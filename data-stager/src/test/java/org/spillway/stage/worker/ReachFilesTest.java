package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Question.Kind;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.reach.Reply.Status;

final class ReachFilesTest {
    @TempDir
    Path folder;

    private Path home;
    private ReachFiles files;

    @BeforeEach
    void home() throws IOException {
        folder = folder.toRealPath();
        home = Files.createDirectories(folder.resolve("home/ann"));
        Files.createDirectories(home.resolve("data"));
        Files.writeString(home.resolve("data/x"), "0123456789");
        Files.createDirectories(folder.resolve("home/bob"));
        Files.writeString(folder.resolve("home/bob/secret"), "bob's");
        files = files(List.of());
    }

    private ReachFiles files(List<Path> hidden) {
        return new ReachFiles(new UserFiles.Bounds(List.of(home, folder.resolve("proj/data")), hidden));
    }

    private Reply stat(Object path) throws IOException {
        return files.answer(Question.stat(path.toString()));
    }

    private Reply read(Path path, String identity) throws IOException {
        return files.answer(new Question(Kind.READ, path.toString(), identity, 2, 5));
    }

    private String identity(Path path) throws IOException {
        return stat(path).entries().getFirst().identity();
    }

    private List<String> names(Object path) throws IOException {
        return files.answer(Question.list(path.toString())).entries().stream()
                .map(Entry::name)
                .sorted()
                .toList();
    }

    @Test
    void aPartOfAFileIsRead() throws Exception {
        Path file = home.resolve("data/x");
        Reply reply = read(file, identity(file));
        assertThat(reply.status()).isEqualTo(Status.OK);
        assertThat(new String(reply.body(), StandardCharsets.UTF_8)).isEqualTo("23456");
        Entry entry = stat(file).entries().getFirst();
        assertThat(entry.isFile()).isTrue();
        assertThat(entry.bytes()).isEqualTo(10);
        assertThat(entry.mode() & 0777)
                .isEqualTo(Files.getAttribute(file, "unix:mode") instanceof Integer mode ? mode & 0777 : -1);
        assertThat(names(home)).containsExactly("data");
    }

    @Test
    void smallFilesOfAFolderAreReadAtOnceEachForItself() throws Exception {
        Path data = home.resolve("data");
        Files.writeString(data.resolve("y"), "y");
        Files.write(data.resolve("large"), new byte[Question.SMALL + 1]);
        Files.createSymbolicLink(data.resolve("out"), folder.resolve("home/bob/secret"));
        List<Entry> asked = new ArrayList<>();
        for (String name : List.of("x", "large", "out", "y")) {
            asked.add(stat(data.resolve(name)).entries().getFirst());
        }
        Entry x = asked.getFirst();
        asked.add(new Entry("x", 0, 0, 0, 0, 0, x.identity() + "1", "", true));
        asked.add(new Entry("..", 0, 0, 0, 0, 0, x.identity(), "", true));
        assertThat(contents(Question.whole(data.toString(), asked)))
                .containsExactly("0123456789", "-", "-", "y", "-", "-");
        files = files(List.of(data.resolve("y")));
        assertThat(contents(Question.whole(data.toString(), asked.subList(0, 4))))
                .containsExactly("0123456789", "-", "-", "-");
        assertThat(files.answer(Question.whole(folder.resolve("home/bob").toString(), List.of(x)))
                        .status())
                .isNotEqualTo(Status.OK);
    }

    private List<String> contents(Question question) throws IOException {
        return files.answer(question).contents().stream()
                .map(each -> each.map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                        .orElse("-"))
                .toList();
    }

    /** A file that was written to, and got its length and its time back, is another one. */
    @Test
    void timesThatWereSetBackDeceiveNobody() throws Exception {
        Path file = home.resolve("data/x");
        String before = identity(file);
        FileTime time = Files.getLastModifiedTime(file);
        Files.writeString(file, "abcdefghij");
        Files.setLastModifiedTime(file, time);
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
        assertThat(identity(file)).isNotEqualTo(before);
        assertThat(read(file, before).status()).isEqualTo(Status.CHANGED);
    }

    /** A key that lies elsewhere, with a link where programs look for it. */
    @Test
    void whatALinkOfAHiddenNameLeadsToIsHidden() throws Exception {
        Files.createDirectories(home.resolve("safe/ssh"));
        Files.writeString(home.resolve("safe/ssh/id"), "key");
        Files.createSymbolicLink(home.resolve(".ssh"), home.resolve("safe/ssh"));
        files = files(List.of(home.resolve(".ssh")));
        assertThat(stat(home.resolve("safe/ssh/id")).status()).isEqualTo(Status.NONE);
        assertThat(names(home)).containsExactly("data", "safe");
    }

    @Test
    void nothingLeadsOut() throws Exception {
        Path bob = folder.resolve("home/bob");
        assertThat(stat(bob.resolve("secret")).status()).isEqualTo(Status.NONE);
        assertThat(read(bob.resolve("secret"), "").status()).isEqualTo(Status.NONE);
        assertThat(stat(home + "/../bob/secret").status()).isEqualTo(Status.DENIED);
        assertThat(stat(home + "/data/../../bob/secret").status()).isEqualTo(Status.DENIED);
        assertThat(stat("home/ann/data/x").status()).isEqualTo(Status.DENIED);
        Files.createSymbolicLink(home.resolve("out"), bob);
        Files.createSymbolicLink(home.resolve("file"), bob.resolve("secret"));
        Entry link = stat(home.resolve("out")).entries().getFirst();
        assertThat(link.isLink()).isTrue();
        assertThat(link.target()).isEqualTo(bob.toString());
        assertThat(stat(home.resolve("out/secret")).status()).isEqualTo(Status.NONE);
        assertThat(files.answer(Question.list(home.resolve("out").toString())).status())
                .isEqualTo(Status.NONE);
        assertThat(read(home.resolve("out/secret"), "").status()).isNotEqualTo(Status.OK);
        assertThat(read(home.resolve("file"), identity(home.resolve("file"))).body())
                .isEmpty();
    }

    @Test
    void onlyTheWayToTheRootsIsAboveThem() throws Exception {
        assertThat(names(folder)).containsExactly("home", "proj");
        assertThat(names(folder.resolve("home"))).containsExactly("ann");
        assertThat(stat(folder.resolve("home")).entries().getFirst().isFolder()).isTrue();
        assertThat(names("/")).containsExactly(folder.getName(0).toString());
        assertThat(stat(folder.resolve("other")).status()).isEqualTo(Status.NONE);
        assertThat(stat(folder.resolve("proj/data")).status()).isEqualTo(Status.NONE);
    }

    @Test
    void whatIsPinnedIsNotThere() throws Exception {
        files = files(List.of(home.resolve("data")));
        assertThat(stat(home.resolve("data")).status()).isEqualTo(Status.NONE);
        assertThat(stat(home.resolve("data/x")).status()).isEqualTo(Status.NONE);
        assertThat(names(home)).isEmpty();
        // By another name of the same folder.
        Files.createDirectories(folder.resolve("proj"));
        Files.createSymbolicLink(folder.resolve("proj/data"), home.resolve("data"));
        assertThat(stat(folder.resolve("proj/data/x")).status()).isEqualTo(Status.NONE);
    }

    @Test
    void keysAreNotThereAlsoWhereTheRootIsALink() throws Exception {
        Files.createDirectories(home.resolve(".ssh"));
        Files.writeString(home.resolve(".ssh/id"), "key");
        Path named = Files.createSymbolicLink(folder.resolve("named"), home);
        files = new ReachFiles(new UserFiles.Bounds(List.of(named), List.of(named.resolve(".ssh"))));
        assertThat(names(named)).containsExactly("data");
        assertThat(stat(named.resolve(".ssh")).status()).isEqualTo(Status.NONE);
        assertThat(stat(named.resolve(".ssh/id")).status()).isEqualTo(Status.NONE);
        assertThat(stat(named.resolve("data/x")).status()).isEqualTo(Status.OK);
    }

    @Test
    void aFileThatIsAnotherByNowIsNotReadOn() throws Exception {
        Path file = home.resolve("data/x");
        String before = identity(file);
        Files.writeString(file, "abcdefghij");
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000));
        assertThat(read(file, before).status()).isEqualTo(Status.CHANGED);
        assertThat(read(file, identity(file)).status()).isEqualTo(Status.OK);
        Files.delete(file);
        assertThat(read(file, before).status()).isEqualTo(Status.NONE);
    }

    @Test
    void aPipeIsNotThere() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", home.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        assertThat(stat(home.resolve("pipe")).status()).isEqualTo(Status.NONE);
        assertThat(names(home)).containsExactly("data");
        assertThat(read(home.resolve("pipe"), "").status()).isNotEqualTo(Status.OK);
    }
}
