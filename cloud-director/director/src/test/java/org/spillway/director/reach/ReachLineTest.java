package org.spillway.director.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
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
    private static final int FOLDER = 0040755;
    private static final int FILE = 0100644;
    private static final int LARGE = 1_000_000;

    @TempDir
    Path folder;

    private final ServerSocket directors;
    private @Nullable Process shell;
    private @Nullable Socket director;
    private int commands;

    ReachLineTest() throws IOException {
        directors = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    private record Packet(int type, int id, byte[] rest) {
        DataInputStream fields() {
            return new DataInputStream(new ByteArrayInputStream(rest));
        }

        /** The text at this place of the packet. */
        String text(int place) throws IOException {
            DataInputStream fields = fields();
            for (int at = 0; at < place; at++) {
                fields.skipNBytes(fields.readInt());
            }
            return new String(fields.readNBytes(fields.readInt()), StandardCharsets.UTF_8);
        }
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
                        Integer.toString(directors.getLocalPort()))
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
        if (director != null) {
            director.close();
        }
        directors.close();
    }

    /** Another director, which says that. @return the attempt that was named */
    private String director(String status) throws IOException {
        if (director != null) {
            director.close();
        }
        Socket made = directors.accept();
        director = made;
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = made.getInputStream().read();
            assertThat(next).isNotNegative();
            head.append((char) next);
        }
        made.getOutputStream().write(("HTTP/1.1 " + status + "\r\nX: y\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        return head.substring(0, head.indexOf(" HTTP"));
    }

    private void serves() throws Exception {
        serves(120);
    }

    private void serves(int patience) throws Exception {
        begin(patience);
        assertThat(director("200 OK")).isEqualTo("POST /v1/jobs/12/1/reach");
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

    /** Its exit code and what it wrote. */
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

    private interface Fields {
        void to(DataOutputStream out) throws IOException;
    }

    private static byte[] bytes(Fields fields) throws IOException {
        var bytes = new ByteArrayOutputStream();
        fields.to(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(content.length);
        out.write(content);
    }

    private static void attributes(DataOutputStream out, int mode, long size) throws IOException {
        out.writeInt(0xf);
        out.writeLong(size);
        out.writeInt(0);
        out.writeInt(0);
        out.writeInt(mode);
        out.writeInt(1_000_000_000);
        out.writeInt(1_000_000_000);
    }

    private static void write(OutputStream to, int type, int id, byte[] rest) throws IOException {
        to.write(bytes(out -> {
            out.writeInt(5 + rest.length);
            out.writeByte(type);
            out.writeInt(id);
            out.write(rest);
        }));
        to.flush();
    }

    /** The next question but for those for the top of home, and whether anybody is there, which are answered. */
    private Packet asked() throws IOException {
        while (true) {
            var in = new DataInputStream(Objects.requireNonNull(director).getInputStream());
            int length = in.readInt();
            var packet = new Packet(in.readUnsignedByte(), in.readInt(), in.readNBytes(length - 5));
            if (packet.type == SftpPacket.LSTAT && packet.text(0).equals("/")) {
                tells(packet, FOLDER, 0);
            } else if (packet.type != SftpPacket.CLOSE) {
                return packet;
            }
        }
    }

    private void says(Packet to, int type, byte[] rest) throws IOException {
        write(Objects.requireNonNull(director).getOutputStream(), type, to.id(), rest);
    }

    private void status(Packet to, int status) throws IOException {
        says(to, 101, bytes(out -> out.writeInt(status)));
    }

    private void tells(Packet to, int mode, long size) throws IOException {
        says(to, 105, bytes(out -> attributes(out, mode, size)));
    }

    private void opens(Packet to, String state, String handle, long size, byte[] contents) throws IOException {
        assertThat(to.type()).isEqualTo(SftpPacket.EXTENDED);
        assertThat(to.text(0)).isEqualTo("open@spillway");
        says(to, 201, bytes(out -> {
            attributes(out, FILE, size);
            text(out, state);
            text(out, handle);
            out.writeInt(contents.length);
            out.write(contents);
        }));
    }

    private void data(Packet to, byte[] bytes) throws IOException {
        says(to, 103, bytes(out -> {
            out.writeInt(bytes.length);
            out.write(bytes);
        }));
    }

    /** A file with bytes that tell where they are. */
    private static byte[] large(int from, int length) {
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; at++) {
            bytes[at] = (byte) (((from + at) * 31) >> 4);
        }
        return bytes;
    }

    private Packet opensLarge(String name, String state) throws IOException {
        Packet opening = asked();
        assertThat(opening.text(1)).isEqualTo("/" + name);
        opens(opening, state, state + ":/" + name, LARGE, new byte[0]);
        return opening;
    }

    private record Part(String handle, int from, int length) {
        static Part of(Packet packet) throws IOException {
            assertThat(packet.type()).isEqualTo(SftpPacket.READ);
            DataInputStream fields = packet.fields();
            String handle = new String(fields.readNBytes(fields.readInt()), StandardCharsets.UTF_8);
            return new Part(handle, (int) fields.readLong(), fields.readInt());
        }
    }

    @Test
    void whatADirectorHasNotAnsweredTheNextOneIsAsked() throws Exception {
        serves();
        int first = run("stat -c %s all/a");
        Packet asked = asked();
        assertThat(asked.text(0)).isEqualTo("/a");
        tells(asked, FILE, 42);
        assertThat(told(first)).isEqualTo("0:42\n");
        int second = run("stat -c %s all/b");
        assertThat(asked().text(0)).isEqualTo("/b");
        director("403 Forbidden");
        director("200 OK");
        asked = asked();
        assertThat(asked.text(0)).isEqualTo("/b");
        tells(asked, FILE, 43);
        assertThat(told(second)).isEqualTo("0:43\n");
    }

    /** A list of the one director and the rest of another one's would have names twice, or lack some. */
    @Test
    void aFolderIsListedByOneDirectorAlone() throws Exception {
        serves();
        int listing = run("ls all/many; stat -c %s all/many/c; stat all/many/none");
        tells(asked(), FOLDER, 0);
        says(asked(), 102, bytes(out -> text(out, "first")));
        names(asked(), "a", "b");
        assertThat(asked().type()).isEqualTo(SftpPacket.READDIR);
        director("200 OK");
        says(asked(), 102, bytes(out -> text(out, "second")));
        for (String part : List.of("b", "c")) {
            Packet asked = asked();
            assertThat(asked.text(0)).isEqualTo("second");
            names(asked, part);
        }
        status(asked(), SftpPacket.EOF);
        // The names are not asked for again, nor what is none of them.
        assertThat(told(listing)).startsWith("1:b\nc\n7\n").contains("No such file");
    }

    private void names(Packet to, String... names) throws IOException {
        says(to, 104, bytes(out -> {
            out.writeInt(names.length);
            for (String name : names) {
                text(out, name);
                text(out, name);
                attributes(out, FILE, 7);
            }
        }));
    }

    /** Whoever writes to a file that is not there yet has its name looked for, which no cut may fail. */
    @Test
    void openingIsAnErrorInTimeAndNamesAreWaitedFor() throws Exception {
        serves(3);
        int file = run("cat all/file");
        tells(asked(), FILE, 10);
        Packet opening = asked();
        int name = run("stat all/name");
        Packet looked = asked();
        assertThat(told(file)).startsWith("1:").contains("Input/output error");
        // Too late, and for nobody.
        opens(opening, "s", "", 10, new byte[10]);
        status(looked, UNANSWERED);
        looked = asked();
        assertThat(looked.text(0)).isEqualTo("/name");
        status(looked, SftpPacket.NO_SUCH_FILE);
        assertThat(told(name)).startsWith("1:").contains("No such file");
    }

    /** An answer may be shorter than what was asked for, which is not the end of the file. */
    @Test
    void aFileIsReadToItsLastByte() throws Exception {
        serves();
        int reading = run("cat all/large");
        tells(asked(), FILE, LARGE);
        opensLarge("large", "s");
        int left = LARGE;
        for (int turn = 1; left > 0; turn++) {
            Packet asked = asked();
            Part part = Part.of(asked);
            if (turn % 3 == 0) {
                status(asked, turn % 2 == 0 ? UNANSWERED : SftpPacket.FAILURE);
                continue;
            }
            int told = turn % 3 == 1 ? Math.min(part.length, 1000 + part.length / 2) : part.length;
            data(asked, large(part.from, told));
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
        tells(asked(), FILE, LARGE);
        opensLarge("large", "s");
        status(asked(), status);
        assertThat(told(reading)).isEqualTo("1:cat: all/large: Input/output error\n");
        int other = run("cat all/other");
        tells(askedButReads(status), FILE, 3);
        opens(askedButReads(status), "s", "", 3, new byte[] {'a', 'b', '\n'});
        assertThat(told(other)).isEqualTo("0:ab\n");
    }

    /** The kernel reads ahead. */
    private Packet askedButReads(int status) throws IOException {
        Packet packet = asked();
        for (; packet.type() == SftpPacket.READ; packet = asked()) {
            status(packet, status);
        }
        return packet;
    }

    /** Whoever has the former one open is not given its bytes any more, as they would be taken for those of the new one. */
    @Test
    void bytesOfTwoStatesAreNeverGiven() throws Exception {
        serves();
        int reading = run(
                "exec 5<all/large; head -c 1 <&5 >/dev/null; : >up; until [ -e go ]; do sleep 0.05; done; cat <&5 >rest");
        tells(asked(), FILE, LARGE);
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
            if (Objects.requireNonNull(director).getInputStream().available() == 0) {
                Thread.sleep(10);
                continue;
            }
            Packet asked = asked();
            Part part = Part.of(asked);
            assertThat(part.handle).startsWith(state);
            data(asked, large(part.from, part.length));
        }
    }

    @Test
    void whoIsKilledNeedNotWaitForHome() throws Exception {
        serves();
        int waiting = run("sh -c 'echo $$ >pid; exec cat all/large'");
        tells(asked(), FILE, LARGE);
        opensLarge("large", "s");
        asked();
        ProcessHandle.of(Long.parseLong(Files.readString(folder.resolve("pid")).strip()))
                .orElseThrow()
                .destroyForcibly();
        assertThat(told(waiting)).startsWith("137:");
        int looking = run("sh -c 'echo $$ >pid2; exec stat all/name'");
        asked();
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
        asked();
        assertThat(asked().type()).isEqualTo(SftpPacket.INIT);
        Socket silent = Objects.requireNonNull(director);
        director = null;
        director("200 OK");
        Packet again = asked();
        assertThat(again.text(0)).isEqualTo("/a");
        tells(again, FILE, 44);
        assertThat(told(looking)).isEqualTo("0:44\n");
        silent.close();
    }

    @Test
    void itsEndIsTheEndOfHome() throws Exception {
        serves();
        int waiting = run("cat all/large");
        tells(asked(), FILE, LARGE);
        opensLarge("large", "s");
        asked();
        ProcessHandle.of(Long.parseLong(Files.readString(folder.resolve("line")).strip()))
                .orElseThrow()
                .destroyForcibly();
        assertThat(told(waiting)).startsWith("1:").containsAnyOf("not connected", "connection abort");
        assertThat(told(run("ls all"))).contains("not connected");
    }
}
