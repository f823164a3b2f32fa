package org.spillway.director.reach;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Directors that a test plays, one after the other, for the program that is a home's file system. */
final class PlayedDirectors implements AutoCloseable {
    static final int FOLDER = 0040755;
    static final int FILE = 0100644;

    private final ServerSocket server;
    private @Nullable Socket director;

    PlayedDirectors() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    int port() {
        return server.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        if (director != null) {
            director.close();
        }
        server.close();
    }

    /** Without a word to the present one, which the caller closes. */
    Socket leave() {
        Socket left = Objects.requireNonNull(director);
        director = null;
        return left;
    }

    /** Whether nothing was asked that was not answered. */
    boolean isSilent() throws IOException {
        return Objects.requireNonNull(director).getInputStream().available() == 0;
    }

    record Packet(int type, int id, byte[] rest) {
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

    record Part(String handle, int from, int length) {
        static Part of(Packet packet) throws IOException {
            assertThat(packet.type()).isEqualTo(SftpPacket.READ);
            DataInputStream fields = packet.fields();
            String handle = new String(fields.readNBytes(fields.readInt()), StandardCharsets.UTF_8);
            return new Part(handle, (int) fields.readLong(), fields.readInt());
        }
    }

    /** Another director, which says that. @return the attempt that was named */
    String next(String status) throws IOException {
        if (director != null) {
            director.close();
        }
        Socket made = server.accept();
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

    interface Fields {
        void to(DataOutputStream out) throws IOException;
    }

    static byte[] bytes(Fields fields) throws IOException {
        var bytes = new ByteArrayOutputStream();
        fields.to(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    static void text(DataOutputStream out, String text) throws IOException {
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
    Packet asked() throws IOException {
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

    void says(Packet to, int type, byte[] rest) throws IOException {
        write(Objects.requireNonNull(director).getOutputStream(), type, to.id(), rest);
    }

    void status(Packet to, int status) throws IOException {
        says(to, 101, bytes(out -> out.writeInt(status)));
    }

    void tells(Packet to, int mode, long size) throws IOException {
        says(to, 105, bytes(out -> attributes(out, mode, size)));
    }

    /** A file of {@link #names} that comes with another one. */
    record Beside(String name, String state, String contents) {}

    void opens(Packet to, String state, String handle, long size, byte[] contents) throws IOException {
        opens(to, state, handle, size, contents, 0);
    }

    /** @param left milliseconds for which those beside it hold */
    void opens(Packet to, String state, String handle, long size, byte[] contents, int left, Beside... beside)
            throws IOException {
        assertThat(to.type()).isEqualTo(SftpPacket.EXTENDED);
        assertThat(to.text(0)).isEqualTo("open@spillway");
        says(to, 201, bytes(out -> {
            attributes(out, FILE, size);
            text(out, state);
            text(out, handle);
            out.writeInt(contents.length);
            out.write(contents);
            out.writeInt(left);
            out.writeInt(beside.length);
            for (Beside each : beside) {
                text(out, each.name);
                attributes(out, FILE, each.contents.length());
                text(out, each.state);
                text(out, each.contents);
            }
        }));
    }

    void data(Packet to, byte[] bytes) throws IOException {
        says(to, 103, bytes(out -> {
            out.writeInt(bytes.length);
            out.write(bytes);
        }));
    }

    void names(Packet to, String... names) throws IOException {
        says(to, 104, bytes(out -> {
            out.writeInt(names.length);
            for (String name : names) {
                text(out, name);
                text(out, name);
                attributes(out, FILE, 7);
            }
        }));
    }
}
