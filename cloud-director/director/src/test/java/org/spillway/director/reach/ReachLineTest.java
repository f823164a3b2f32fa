package org.spillway.director.reach;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.node.NodeUserData;

/** The program between sshfs, which this plays, and directors that end, refuse or say nothing, which this plays, too. */
@Timeout(60)
final class ReachLineTest {
    private static final int IO_ERROR = 100;
    private static final int UNANSWERED = 7;

    @TempDir
    Path folder;

    private final ServerSocket directors;
    private @Nullable Process line;
    private @Nullable Socket director;

    ReachLineTest() throws IOException {
        directors = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    private record Packet(int type, int id, byte[] rest) {
        int status() {
            return new BigInteger(Arrays.copyOf(rest, 4)).intValue();
        }
    }

    @BeforeEach
    void program() throws IOException {
        try (InputStream in = NodeUserData.class.getResourceAsStream("reach.pl")) {
            Files.write(folder.resolve("program"), Objects.requireNonNull(in).readAllBytes());
        }
    }

    private void begin(int patience) throws IOException {
        line = new ProcessBuilder(
                        "perl",
                        folder.resolve("program").toString(),
                        folder.toString(),
                        "12/1",
                        Integer.toString(patience),
                        "bash",
                        "-c",
                        "exec 3<>/dev/tcp/127.0.0.1/$0; cat <&3 & exec cat >&3",
                        Integer.toString(directors.getLocalPort()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @AfterEach
    void end() throws IOException {
        line().destroyForcibly();
        if (director != null) {
            director.close();
        }
        directors.close();
    }

    private Process line() {
        return Objects.requireNonNull(line);
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

    private void serves() throws IOException {
        serves(120);
    }

    private void serves(int patience) throws IOException {
        begin(patience);
        assertThat(director("200 OK")).isEqualTo("POST /v1/jobs/12/1/reach");
        assertThat(new String(line().getInputStream().readNBytes(4), StandardCharsets.US_ASCII))
                .isEqualTo("200\n");
    }

    private static byte[] text(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(content.length);
        out.write(content);
        return bytes.toByteArray();
    }

    private static byte[] number(int number) throws IOException {
        var bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeInt(number);
        return bytes.toByteArray();
    }

    private static void write(OutputStream to, int type, int id, byte[] rest) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.writeInt(5 + rest.length);
        out.writeByte(type);
        out.writeInt(id);
        out.write(rest);
        to.write(bytes.toByteArray());
        to.flush();
    }

    private static Packet read(InputStream from) throws IOException {
        var in = new DataInputStream(from);
        int length = in.readInt();
        return new Packet(in.readUnsignedByte(), in.readInt(), in.readNBytes(length - 5));
    }

    private void ask(int type, int id, String text) throws IOException {
        write(line().getOutputStream(), type, id, text(text));
    }

    private Packet answer() throws IOException {
        return read(line().getInputStream());
    }

    private Packet asked() throws IOException {
        return read(Objects.requireNonNull(director).getInputStream());
    }

    private void says(Packet to, int type, byte[] rest) throws IOException {
        write(Objects.requireNonNull(director).getOutputStream(), type, to.id(), rest);
    }

    @Test
    void whatADirectorHasNotAnsweredTheNextOneIsAsked() throws Exception {
        serves();
        ask(SftpPacket.LSTAT, 7, "/a");
        ask(SftpPacket.LSTAT, 8, "/b");
        Packet first = asked();
        says(first, 105, text("of a"));
        assertThat(answer().id()).isEqualTo(7);
        assertThat(asked().rest()).isEqualTo(text("/b"));
        director("403 Forbidden");
        director("200 OK");
        Packet again = asked();
        assertThat(again.rest()).isEqualTo(text("/b"));
        says(again, 105, text("of b"));
        Packet answer = answer();
        assertThat(answer.id()).isEqualTo(8);
        assertThat(answer.rest()).isEqualTo(text("of b"));
    }

    /** A list of the one director and the rest of another one's would have names twice, or lack some. */
    @Test
    void aFolderIsListedByOneDirectorAlone() throws Exception {
        serves();
        ask(SftpPacket.OPENDIR, 3, "/many");
        says(asked(), 102, text("first"));
        says(asked(), 104, number(77));
        Packet third = asked();
        assertThat(third.type()).isEqualTo(SftpPacket.READDIR);
        director("200 OK");
        says(asked(), 102, text("second"));
        for (int part : List.of(5, 6)) {
            Packet asked = asked();
            assertThat(asked.rest()).isEqualTo(text("second"));
            says(asked, 104, number(part));
        }
        says(asked(), 101, number(SftpPacket.EOF));
        Packet opened = answer();
        assertThat(opened.type()).isEqualTo(102);
        for (int id : List.of(4, 5, 6)) {
            write(line().getOutputStream(), SftpPacket.READDIR, id, opened.rest());
        }
        assertThat(answer().status()).isEqualTo(5);
        assertThat(answer().status()).isEqualTo(6);
        Packet last = answer();
        assertThat(last.type()).isEqualTo(101);
        assertThat(last.status()).isEqualTo(SftpPacket.EOF);
    }

    /** Whoever writes to a file that is not there yet has its name looked for, which no cut may fail. */
    @Test
    void openingIsAnErrorInTimeAndNamesAreWaitedFor() throws Exception {
        serves(3);
        ask(SftpPacket.LSTAT, 1, "/name");
        ask(SftpPacket.OPEN, 2, "/file");
        Packet name = asked();
        Packet file = asked();
        Packet answer = answer();
        assertThat(answer.id()).isEqualTo(2);
        assertThat(answer.status()).isEqualTo(IO_ERROR);
        // Too late, and for nobody.
        says(file, 102, text("x"));
        says(name, 101, number(UNANSWERED));
        Packet again = asked();
        assertThat(again.rest()).isEqualTo(text("/name"));
        says(again, 101, number(SftpPacket.NO_SUCH_FILE));
        answer = answer();
        assertThat(answer.id()).isEqualTo(1);
        assertThat(answer.status()).isEqualTo(SftpPacket.NO_SUCH_FILE);
    }

    /** sshfs would tell its reader of the end of the file. */
    @Test
    void bytesThatCannotBeHadAreTheEndOfHome() throws Exception {
        serves();
        ask(SftpPacket.READ, 1, "1:x/file");
        says(asked(), 101, number(SftpPacket.EOF));
        assertThat(answer().status()).isEqualTo(SftpPacket.EOF);
        ask(SftpPacket.READ, 2, "1:x/file");
        says(asked(), 101, number(UNANSWERED));
        says(asked(), 101, number(SftpPacket.FAILURE));
        says(asked(), 101, number(IO_ERROR));
        assertThat(line().getInputStream().readAllBytes()).isEmpty();
        assertThat(line().waitFor()).isEqualTo(1);
    }

    /** Of a machine that is gone no word comes, not even an end. */
    @Test
    @Tag("processes")
    void aDirectorThatSaysNothingIsLeft() throws Exception {
        serves();
        ask(SftpPacket.LSTAT, 1, "/a");
        asked();
        assertThat(asked().type()).isEqualTo(SftpPacket.INIT);
        Socket silent = Objects.requireNonNull(director);
        director = null;
        director("200 OK");
        Packet again = asked();
        assertThat(again.rest()).isEqualTo(text("/a"));
        says(again, 105, text("of a"));
        assertThat(answer().rest()).isEqualTo(text("of a"));
        silent.close();
    }

    @Test
    void theEndOfSshfsIsItsEnd() throws Exception {
        serves();
        line().getOutputStream().close();
        assertThat(line().waitFor()).isZero();
    }
}
