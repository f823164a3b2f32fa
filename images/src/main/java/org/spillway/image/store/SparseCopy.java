package org.spillway.image.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.spillway.image.posix.Posix;
import org.spillway.stage.Sha256;

/** Copies of contents, in which a block of zeros is a hole. */
final class SparseCopy {
    private static final int BLOCK_BYTES = 4096;

    private SparseCopy() {}

    /** Reads a file to its end. @return its SHA-256 */
    static String digest(Posix posix, String from) throws IOException {
        return copy(posix, from, -1, "");
    }

    /** @param to open to write, empty; its name is for messages. @return SHA-256 of what was read */
    static String copy(Posix posix, String from, int to, String toName) throws IOException {
        MessageDigest digest = Sha256.digest();
        int descriptor = posix.open(from);
        try {
            long at = 0;
            for (ByteBuffer part = posix.read(descriptor, from);
                    part.hasRemaining();
                    part = posix.read(descriptor, from)) {
                int length = part.remaining();
                digest.update(part.duplicate());
                if (to >= 0) {
                    writeDense(posix, part, to, at, toName);
                }
                at += length;
            }
            if (to >= 0) {
                posix.setSize(to, at, toName);
            }
            return HexFormat.of().formatHex(digest.digest());
        } finally {
            posix.close(descriptor);
        }
    }

    private static void writeDense(Posix posix, ByteBuffer part, int to, long at, String toName) throws IOException {
        int length = part.remaining();
        int begun = -1;
        for (int from = 0; from < length; from += BLOCK_BYTES) {
            boolean empty = isZero(part, from, Math.min(length, from + BLOCK_BYTES));
            if (!empty && begun < 0) {
                begun = from;
            } else if (empty && begun >= 0) {
                posix.write(to, begun, from - begun, at + begun, toName);
                begun = -1;
            }
        }
        if (begun >= 0) {
            posix.write(to, begun, length - begun, at + begun, toName);
        }
    }

    private static boolean isZero(ByteBuffer part, int from, int end) {
        int at = from;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            if (part.getLong(at) != 0) {
                return false;
            }
        }
        for (; at < end; at++) {
            if (part.get(at) != 0) {
                return false;
            }
        }
        return true;
    }
}
