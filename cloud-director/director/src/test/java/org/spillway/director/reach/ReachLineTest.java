package org.spillway.director.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.director.node.NodeUserData;

/**
 * The file system of a home on a node: the kernel and programs are real, directors that end, refuse, say nothing or lie are played.
 */
@Timeout(60)
final class ReachLineTest {
    private static final int IO_ERROR = 100;
    private static final int UNANSWERED = 7;
    private static final int LARGE = 1_000_000;

    @TempDir
    Path folder;

    private final PlayedDirectors directors;
    private @Nullable Process shell;
    private int commands;

    ReachLineTest() throws IOException {
        directors = new PlayedDirectors();
    }

    @BeforeEach
    void program() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "not root: nothing is mounted");
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "no /dev/fuse");
        var whole = new ByteArrayOutputStream();
        for (String part : List.of("homeline.pl", "reach.pl")) {
            try (InputStream in = NodeUserData.class.getResourceAsStream(part)) {
                Objects.requireNonNull(in).transferTo(whole);
            }
        }
        Files.write(folder.resolve("program"), whole.toByteArray());
        Files.createDirectory(folder.resolve("all"));
    }

    /** A shell in a mount namespace of its own, which begins with the program in it. */
    private void begin(int patience) throws IOException {
        shell = new ProcessBuilder(
                        "unshare",
                        "--mount",
                        "sh",
                        "-c",
                        "perl program \"$PWD\" 12/1 \"$0\" bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0; cat <&3 & exec cat >&3' \"$1\""
                                + " </dev/null & echo $! >line; exec sh",
                        Integer.toString(patience),
                        Integer.toString(directors.port()))
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @AfterEach
    void end() throws Exception {
        if (shell != null) {
            Path line = folder.resolve("line");
            if (Files.exists(line)) {
                ProcessHandle.of(Long.parseLong(Files.readString(line).strip()))
                        .ifPresent(ProcessHandle::destroyForcibly);
            }
            shell.destroyForcibly().waitFor();
        }
        directors.close();
    }

    private void serves() throws Exception {
        serves(120);
    }

    private void serves(int patience) throws Exception {
        begin(patience);
        assertThat(directors.next("200 OK")).isEqualTo("POST /v1/jobs/12/1/reach");
        told(run("until grep -q \"$PWD/all fuse\" /proc/mounts; do sleep 0.05; done"));
    }

    /** A command of the shell, in the background. @return its number */
    private int run(String command) throws IOException {
        int number = ++commands;
        String line = "{ " + command + "; } >out." + number + " 2>said." + number + "; echo $? >part." + number
                + "; mv part." + number + " code." + number;
        OutputStream to = Objects.requireNonNull(shell).getOutputStream();
        to.write(("(" + line + ") &\n").getBytes(StandardCharsets.UTF_8));
        to.flush();
        return number;
    }

    /** The exit code of that command and what it wrote. */
    private String told(int number) throws Exception {
        Path code = folder.resolve("code." + number);
        while (!Files.exists(code)) {
            Thread.sleep(20);
        }
        return Files.readString(code).strip() + ":" + written("out." + number) + written("said." + number);
    }

    private String written(String name) throws IOException {
        return Files.readString(folder.resolve(name), StandardCharsets.ISO_8859_1);
    }

    /** A file with bytes that tell where they are. */
    private static byte[] large(int from, int length) {
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; at++) {
            bytes[at] = (byte) (((from + at) * 31) >> 4);
        }
        return bytes;
    }

    private PlayedDirectors.Packet opensLarge(String name, String state) throws IOException {
        PlayedDirectors.Packet opening = directors.asked();
        assertThat(opening.text(1)).isEqualTo("/" + name);
        directors.opens(opening, state, state + ":/" + name, LARGE, new byte[0]);
        return opening;
    }

    @Test
    void whatADirectorHasNotAnsweredTheNextOneIsAsked() throws Exception {
        serves();
        int first = run("stat -c %s all/a");
        PlayedDirectors.Packet asked = directors.asked();
        assertThat(asked.text(0)).isEqualTo("/a");
        directors.tells(asked, PlayedDirectors.FILE, 42);
        assertThat(told(first)).isEqualTo("0:42\n");
        int second = run("stat -c %s all/b");
        assertThat(directors.asked().text(0)).isEqualTo("/b");
        directors.next("403 Forbidden");
        directors.next("200 OK");
        asked = directors.asked();
        assertThat(asked.text(0)).isEqualTo("/b");
        directors.tells(asked, PlayedDirectors.FILE, 43);
        assertThat(told(second)).isEqualTo("0:43\n");
    }

    /** A list of the one director and the rest of another one's would have names twice, or lack some. */
    @Test
    void aFolderIsListedByOneDirectorAlone() throws Exception {
        serves();
        int listing = run("ls all/many; stat -c %s all/many/c; stat all/many/none");
        directors.tells(directors.asked(), PlayedDirectors.FOLDER, 0);
        directors.says(directors.asked(), 102, PlayedDirectors.bytes(out -> PlayedDirectors.text(out, "first")));
        directors.names(directors.asked(), "a", "b");
        assertThat(directors.asked().type()).isEqualTo(SftpPacket.READDIR);
        directors.next("200 OK");
        directors.says(directors.asked(), 102, PlayedDirectors.bytes(out -> PlayedDirectors.text(out, "second")));
        for (String part : List.of("b", "c")) {
            PlayedDirectors.Packet asked = directors.asked();
            assertThat(asked.text(0)).isEqualTo("second");
            directors.names(asked, part);
        }
        directors.status(directors.asked(), SftpPacket.EOF);
        // The names are not asked for again, nor what is none of them.
        assertThat(told(listing)).startsWith("1:b\nc\n7\n").contains("No such file");
    }

    /** Whoever writes to a file that is not there yet has its name looked for, which no cut may fail. */
    @Test
    void openingIsAnErrorInTimeAndNamesAreWaitedFor() throws Exception {
        serves(3);
        int file = run("cat all/file");
        directors.tells(directors.asked(), PlayedDirectors.FILE, 10);
        PlayedDirectors.Packet opening = directors.asked();
        int name = run("stat all/name");
        PlayedDirectors.Packet looked = directors.asked();
        assertThat(told(file)).startsWith("1:").contains("Input/output error");
        // Too late, and for nobody.
        directors.opens(opening, "s", "", 10, new byte[10]);
        directors.status(looked, UNANSWERED);
        looked = directors.asked();
        assertThat(looked.text(0)).isEqualTo("/name");
        directors.status(looked, SftpPacket.NO_SUCH_FILE);
        assertThat(told(name)).startsWith("1:").contains("No such file");
    }

    /** An answer may be shorter than what was asked for, which is not the end of the file. */
    @Test
    void aFileIsReadToItsLastByte() throws Exception {
        serves();
        int reading = run("cat all/large");
        directors.tells(directors.asked(), PlayedDirectors.FILE, LARGE);
        opensLarge("large", "s");
        int left = LARGE;
        for (int turn = 1; left > 0; turn++) {
            PlayedDirectors.Packet asked = directors.asked();
            PlayedDirectors.Part part = PlayedDirectors.Part.of(asked);
            if (turn % 3 == 0) {
                directors.status(asked, turn % 2 == 0 ? UNANSWERED : SftpPacket.FAILURE);
                continue;
            }
            int told = turn % 3 == 1 ? Math.min(part.length(), 1000 + part.length() / 2) : part.length();
            directors.data(asked, large(part.from(), told));
            left -= told;
        }
        told(reading);
        assertThat(Files.readAllBytes(folder.resolve("out." + reading))).isEqualTo(large(0, LARGE));
    }

    @ParameterizedTest
    @ValueSource(ints = {IO_ERROR, SftpPacket.EOF, SftpPacket.NO_SUCH_FILE})
    void bytesThatCannotBeHadAreAnErrorOfThatFileAlone(int status) throws Exception {
        serves();
        int reading = run("cat all/large");
        directors.tells(directors.asked(), PlayedDirectors.FILE, LARGE);
        opensLarge("large", "s");
        directors.status(directors.asked(), status);
        assertThat(told(reading)).isEqualTo("1:cat: all/large: Input/output error\n");
        int other = run("cat all/other");
        directors.tells(askedButReads(status), PlayedDirectors.FILE, 3);
        directors.opens(askedButReads(status), "s", "", 3, new byte[] {'a', 'b', '\n'});
        assertThat(told(other)).isEqualTo("0:ab\n");
    }

    /** Files of seven bytes, as their folder is listed. */
    private void lists(String... names) throws IOException {
        directors.tells(directors.asked(), PlayedDirectors.FOLDER, 0);
        directors.says(directors.asked(), 102, PlayedDirectors.bytes(out -> PlayedDirectors.text(out, "first")));
        directors.names(directors.asked(), names);
        directors.status(directors.asked(), SftpPacket.EOF);
    }

    private static PlayedDirectors.Beside beside(String name, String contents) {
        return new PlayedDirectors.Beside(name, "state of " + name, contents);
    }

    @Test
    void aFileThatCameWithAnotherIsNotAskedFor() throws Exception {
        serves();
        int reading = run("ls all/many >/dev/null; cat all/many/a; cat all/many/b; cat all/many/c all/many/b");
        lists("a", "b", "c");
        PlayedDirectors.Packet asked = directors.asked();
        assertThat(asked.text(1)).isEqualTo("/many/a");
        byte[] contents = "first.\n".getBytes(StandardCharsets.US_ASCII);
        // The length of the last is not the one that the kernel was told.
        directors.opens(
                asked,
                "s",
                "",
                7,
                contents,
                9000,
                beside("b", "second\n"),
                beside("d", "none"),
                beside("c", "longer one\n"));
        asked = directors.asked();
        assertThat(asked.text(1)).isEqualTo("/many/c");
        directors.opens(asked, "t", "", 7, "third.\n".getBytes(StandardCharsets.US_ASCII));
        // Each is held once: the kernel has its pages, and somebody has to say that they are still the file's.
        asked = directors.asked();
        assertThat(asked.text(1)).isEqualTo("/many/b");
        directors.opens(asked, "state of b", "", 7, "unread\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(told(reading)).isEqualTo("0:first.\nsecond\nthird.\nsecond\n");
    }

    @Test
    void whatCameWithAnotherHoldsAsLongAsItsListing() throws Exception {
        serves();
        int reading = run(
                "ls all/many >/dev/null; cat all/many/a; : >up; until [ -e go ]; do sleep 0.05; done; cat all/many/b");
        lists("a", "b");
        byte[] contents = "first.\n".getBytes(StandardCharsets.US_ASCII);
        directors.opens(directors.asked(), "s", "", 7, contents, 1, beside("b", "second\n"));
        while (!Files.exists(folder.resolve("up"))) {
            Thread.sleep(10);
        }
        Files.createFile(folder.resolve("go"));
        PlayedDirectors.Packet asked = directors.asked();
        assertThat(asked.text(1)).isEqualTo("/many/b");
        directors.opens(asked, "t", "", 7, "anew..\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(told(reading)).isEqualTo("0:first.\nanew..\n");
    }

    /** The kernel reads ahead. */
    private PlayedDirectors.Packet askedButReads(int status) throws IOException {
        PlayedDirectors.Packet packet = directors.asked();
        for (; packet.type() == SftpPacket.READ; packet = directors.asked()) {
            directors.status(packet, status);
        }
        return packet;
    }

    /** Whoever has the former one open is not given its bytes any more, as they would be taken for those of the new one. */
    @Test
    void bytesOfTwoStatesAreNeverGiven() throws Exception {
        serves();
        int reading = run(
                "exec 5<all/large; head -c 1 <&5 >/dev/null; : >up; until [ -e go ]; do sleep 0.05; done; cat <&5 >rest");
        directors.tells(directors.asked(), PlayedDirectors.FILE, LARGE);
        opensLarge("large", "before");
        answerReads("before", "up");
        int second = run("head -c 4096 all/large | wc -c");
        opensLarge("large", "after");
        answerReads("after", "code." + second);
        assertThat(told(second)).isEqualTo("0:4096\n");
        Files.createFile(folder.resolve("go"));
        assertThat(told(reading)).startsWith("1:").contains("Input/output error");
        assertThat(Files.size(folder.resolve("rest"))).isLessThan(LARGE / 2);
    }

    /** Until that file is there. */
    private void answerReads(String state, String until) throws IOException, InterruptedException {
        while (!Files.exists(folder.resolve(until))) {
            if (directors.isSilent()) {
                Thread.sleep(10);
                continue;
            }
            PlayedDirectors.Packet asked = directors.asked();
            PlayedDirectors.Part part = PlayedDirectors.Part.of(asked);
            assertThat(part.handle()).startsWith(state);
            directors.data(asked, large(part.from(), part.length()));
        }
    }

    @Test
    void whoIsKilledNeedNotWaitForHome() throws Exception {
        serves();
        int waiting = run("sh -c 'echo $$ >pid; exec cat all/large'");
        directors.tells(directors.asked(), PlayedDirectors.FILE, LARGE);
        opensLarge("large", "s");
        directors.asked();
        ProcessHandle.of(Long.parseLong(Files.readString(folder.resolve("pid")).strip()))
                .orElseThrow()
                .destroyForcibly();
        assertThat(told(waiting)).startsWith("137:");
        int looking = run("sh -c 'echo $$ >pid2; exec stat all/name'");
        directors.asked();
        ProcessHandle.of(Long.parseLong(Files.readString(folder.resolve("pid2")).strip()))
                .orElseThrow()
                .destroyForcibly();
        assertThat(told(looking)).startsWith("137:");
    }

    /** Of a machine that is gone no word comes, not even an end. */
    @Test
    @Tag("processes")
    void aDirectorThatSaysNothingIsLeft() throws Exception {
        serves();
        int looking = run("stat -c %s all/a");
        directors.asked();
        assertThat(directors.asked().type()).isEqualTo(SftpPacket.INIT);
        Socket silent = directors.leave();
        directors.next("200 OK");
        PlayedDirectors.Packet again = directors.asked();
        assertThat(again.text(0)).isEqualTo("/a");
        directors.tells(again, PlayedDirectors.FILE, 44);
        assertThat(told(looking)).isEqualTo("0:44\n");
        silent.close();
    }

    @Test
    void itsEndIsTheEndOfHome() throws Exception {
        serves();
        int waiting = run("cat all/large");
        directors.tells(directors.asked(), PlayedDirectors.FILE, LARGE);
        opensLarge("large", "s");
        directors.asked();
        ProcessHandle.of(Long.parseLong(Files.readString(folder.resolve("line")).strip()))
                .orElseThrow()
                .destroyForcibly();
        assertThat(told(waiting)).startsWith("1:").containsAnyOf("not connected", "connection abort");
        assertThat(told(run("ls all"))).contains("not connected");
    }
}
