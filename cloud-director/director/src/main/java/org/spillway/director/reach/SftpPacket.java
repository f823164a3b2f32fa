package org.spillway.director.reach;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.spillway.stage.reach.Entry;

/** Packets of SFTP, version 3 (draft-ietf-secsh-filexfer-02), as far as reading needs them. */
final class SftpPacket {
    static final int INIT = 1;
    static final int CLOSE = 4;
    static final int READ = 5;
    static final int LSTAT = 7;
    static final int OPENDIR = 11;
    static final int READDIR = 12;
    static final int READLINK = 19;
    static final int EXTENDED = 200;

    static final int OK = 0;
    static final int EOF = 1;
    static final int NO_SUCH_FILE = 2;
    static final int PERMISSION_DENIED = 3;
    /** Home could not read it just now. */
    static final int FAILURE = 4;

    static final int BAD_MESSAGE = 5;
    /** Home has not answered; a node asks again for what may wait. */
    static final int CONNECTION_LOST = 7;

    static final int OP_UNSUPPORTED = 8;
    /** Of no version: what a client does not know is EIO to it. */
    static final int IO_ERROR = 100;

    private static final int VERSION = 2;
    private static final int STATUS = 101;
    private static final int HANDLE = 102;
    private static final int DATA = 103;
    private static final int NAME = 104;
    private static final int ATTRS = 105;
    private static final int EXTENDED_REPLY = 201;
    private static final int SIZE_OWNER_MODE_TIMES = 0xf;
    private static final int MOST_BYTES = 256 * 1024;

    final int type;
    /** Of INIT it is the version. */
    final int id;

    private final DataInputStream fields;

    private SftpPacket(int type, int id, DataInputStream fields) {
        this.type = type;
        this.id = id;
        this.fields = fields;
    }

    /** @throws EOFException when the other side is gone */
    static SftpPacket read(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 5 || length > MOST_BYTES) {
            throw new IOException("not a packet of SFTP: " + length + " bytes");
        }
        byte[] body = new byte[length];
        in.readFully(body);
        var fields = new DataInputStream(new ByteArrayInputStream(body));
        return new SftpPacket(fields.readUnsignedByte(), fields.readInt(), fields);
    }

    String text() throws IOException {
        int length = fields.readInt();
        if (length < 0 || length > fields.available()) {
            throw new EOFException("a text that is longer than its packet");
        }
        return new String(fields.readNBytes(length), StandardCharsets.UTF_8);
    }

    int number() throws IOException {
        return fields.readInt();
    }

    long offset() throws IOException {
        return fields.readLong();
    }

    private interface Body {
        void to(DataOutputStream out) throws IOException;
    }

    private static byte[] packet(int type, Body body) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.writeInt(0);
        out.writeByte(type);
        body.to(out);
        byte[] packet = bytes.toByteArray();
        int length = packet.length - Integer.BYTES;
        for (int at = 0; at < Integer.BYTES; at++) {
            packet[at] = (byte) (length >>> (24 - 8 * at));
        }
        return packet;
    }

    static byte[] version() throws IOException {
        return packet(VERSION, out -> out.writeInt(3));
    }

    byte[] status(int status) throws IOException {
        return packet(STATUS, out -> {
            out.writeInt(id);
            out.writeInt(status);
            write(out, "");
            write(out, "");
        });
    }

    byte[] handle(String handle) throws IOException {
        return packet(HANDLE, out -> {
            out.writeInt(id);
            write(out, handle);
        });
    }

    byte[] data(byte[] bytes) {
        int head = Byte.BYTES + 2 * Integer.BYTES;
        return ByteBuffer.allocate(Integer.BYTES + head + bytes.length)
                .putInt(head + bytes.length)
                .put((byte) DATA)
                .putInt(id)
                .putInt(bytes.length)
                .put(bytes)
                .array();
    }

    byte[] name(String name) throws IOException {
        return packet(NAME, out -> {
            out.writeInt(id);
            out.writeInt(1);
            write(out, name);
            write(out, name);
            out.writeInt(0);
        });
    }

    byte[] names(List<Entry> entries) throws IOException {
        return packet(NAME, out -> {
            out.writeInt(id);
            out.writeInt(entries.size());
            for (Entry entry : entries) {
                write(out, entry.name());
                write(out, entry.name());
                write(out, entry);
            }
        });
    }

    byte[] attributes(Entry entry) throws IOException {
        return packet(ATTRS, out -> {
            out.writeInt(id);
            write(out, entry);
        });
    }

    /**
     * The answer to our own extension {@code open@spillway}.
     *
     * @param handle empty where the contents are there
     * @param beside other files of its folder, with their contents, and for how long they are believed
     */
    byte[] opened(Entry entry, String handle, byte[] contents, HomeView.Beside beside) throws IOException {
        return packet(EXTENDED_REPLY, out -> {
            out.writeInt(id);
            write(out, entry);
            write(out, entry.identity());
            write(out, handle);
            write(out, contents);
            out.writeInt((int) Math.max(0, beside.left().toMillis()));
            out.writeInt(beside.files().size());
            for (int i = 0; i < beside.files().size(); i++) {
                Entry each = beside.files().get(i);
                write(out, each.name());
                write(out, each);
                write(out, each.identity());
                write(out, beside.contents().get(i));
            }
        });
    }

    private static void write(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        write(out, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void write(DataOutputStream out, Entry entry) throws IOException {
        out.writeInt(SIZE_OWNER_MODE_TIMES);
        out.writeLong(entry.bytes());
        out.writeInt(entry.uid());
        out.writeInt(entry.gid());
        out.writeInt(entry.mode());
        out.writeInt((int) entry.modified());
        out.writeInt((int) entry.modified());
    }
}
