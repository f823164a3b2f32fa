package org.spillway.scaler.policyhost;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;

/** Messages on a pipe: four bytes of length, then as many of JSON. */
final class Frames {
    /** A snapshot of a very large cluster, or a jar in base64. */
    static final int MOST_REQUEST_BYTES = 64 << 20;
    /** Far more than the wishes that are allowed. */
    static final int MOST_ANSWER_BYTES = 8 << 20;

    private Frames() {}

    static void write(DataOutputStream out, byte[] message, int most) throws IOException {
        if (message.length > most) {
            throw new IOException("a message of " + message.length + " bytes; allowed: at most " + most);
        }
        out.writeInt(message.length);
        out.write(message);
        out.flush();
    }

    /** @throws EOFException when the other side is gone */
    static byte[] read(DataInputStream in, int most) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > most) {
            throw new IOException("a message that says it has " + length + " bytes; allowed: at most " + most);
        }
        byte[] message = in.readNBytes(length);
        if (message.length < length) {
            throw new EOFException("a message that ends after " + message.length + " of " + length + " bytes");
        }
        return message;
    }
}
