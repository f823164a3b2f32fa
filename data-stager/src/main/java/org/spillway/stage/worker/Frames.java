package org.spillway.stage.worker;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The talk of worker and caller: frames of a length (4 bytes), a kind (1 byte) and a body. The worker opens with HELLO;
 * then each request gets any number of WORKING, DATA and ITEMS frames and one of OK, REFUSED, MISMATCH, FAILED. Lists
 * travel as ITEMS frames ({@link Items}); in a request they end with END, as DATA does.
 */
final class Frames {
    static final int MAGIC = 0x53505746;
    static final int VERSION = 12;
    /** Longest body, in bytes. */
    static final int BODY_BYTES_MAX = 256 * 1024;
    /** Bytes in one DATA frame. */
    static final int DATA_BYTES = 128 * 1024;
    /** A sign of life is given after so many bytes were hashed. */
    static final int WORKING_BYTES = 16 * 1024 * 1024;

    /** Kind of a frame, sent as its place in this list, so new ones are added at the end. */
    enum Kind {
        HELLO,
        PART_BYTES,
        WRITE_PART,
        ABANDON,
        DATA,
        END,
        WORKING,
        OK,
        REFUSED,
        MISMATCH,
        FAILED,
        SETTLE,
        FIND,
        PIECES,
        UNPACK,
        ITEMS,
        LOOK,
        DISTANT,
        TICKETS,
        READ_PART,
        GATHER,
        GROW,
        REACH,
        IMAGE
    }

    private static final Kind[] KINDS = Kind.values();

    record Frame(Kind kind, byte[] body) {
        DataInputStream fields() {
            return new DataInputStream(new ByteArrayInputStream(body));
        }
    }

    /** Writes the fields of a body. */
    interface Fields {
        void to(DataOutputStream body) throws IOException;
    }

    private Frames() {}

    static void write(DataOutputStream out, Kind kind, byte[] body, int length) throws IOException {
        if (length > BODY_BYTES_MAX) {
            throw new IOException("a frame of " + length + " bytes is too long");
        }
        out.writeInt(length);
        out.writeByte(kind.ordinal());
        out.write(body, 0, length);
        out.flush();
    }

    static void write(DataOutputStream out, Kind kind, Fields fields) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        fields.to(new DataOutputStream(body));
        write(out, kind, body.toByteArray(), body.size());
    }

    static void write(DataOutputStream out, Kind kind) throws IOException {
        write(out, kind, new byte[0], 0);
    }

    /** @throws java.io.EOFException if the other side is gone */
    static Frame read(DataInputStream in) throws IOException {
        int length = in.readInt();
        int kind = in.readUnsignedByte();
        if (length < 0 || length > BODY_BYTES_MAX || kind >= KINDS.length) {
            throw new IOException("not a frame: kind " + kind + ", " + length + " bytes");
        }
        byte[] body = new byte[length];
        in.readFully(body);
        return new Frame(KINDS[kind], body);
    }
}
