package org.spillway.api.session;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A stream of bytes each way over any number of connections, one after another. Each end keeps what the other has not
 * acknowledged, and on a new connection both say how far they have read: a cut loses and doubles nothing. Pure; not for several
 * threads.
 *
 * <p>A connection carries frames: a letter, three bytes of length, and so many bytes. {@code H} and {@code A} hold the number of
 * bytes that were read of the other's stream, at first and from then on, {@code D} the next bytes of one's own, {@code P} nothing.
 */
final class ResumedStream {
    static final int MOST_FRAME_BYTES = 64 * 1024;
    private static final int MOST_KEPT_BYTES = 64 * 1024 * 1024;
    private static final int HEADER_BYTES = 4;
    private static final int PIECE_BYTES = 16 * 1024;

    private final Consumer<byte[]> reader;
    private byte[] kept = new byte[0];
    private long base;
    private long sent;
    private long received;
    private long acknowledged;
    private boolean connected;
    private boolean greeted;
    private boolean greets;
    private boolean pings;
    private byte[] unread = new byte[0];

    /** @param reader of the other's bytes, in order, each once */
    ResumedStream(Consumer<byte[]> reader) {
        this.reader = reader;
    }

    /** Appends to one's own stream. @throws SessionFault if the other takes nothing, and 64 MiB wait for it */
    void say(byte[] bytes) {
        if (kept.length > MOST_KEPT_BYTES) {
            throw new SessionFault("its other end takes nothing");
        }
        kept = joined(kept, bytes, bytes.length);
    }

    /** A connection begins. */
    void connected() {
        connected = true;
        greets = true;
        greeted = false;
        pings = false;
        unread = new byte[0];
    }

    /** The connection has ended. */
    void cut() {
        connected = false;
        greeted = false;
    }

    /** The other end has spoken on this connection. */
    boolean isMet() {
        return greeted;
    }

    /** A sign of life goes with the next frames. */
    void ping() {
        pings = true;
    }

    /** Frames to be sent now; empty where there is nothing to say. @param most about so many bytes */
    byte[] next(int most) {
        var out = new ByteArrayOutputStream();
        if (!connected) {
            return new byte[0];
        }
        if (greets) {
            frame(out, 'H', number(received));
            acknowledged = received;
            greets = false;
        }
        if (received > acknowledged) {
            frame(out, 'A', number(received));
            acknowledged = received;
        }
        while (greeted && out.size() < most && sent < base + kept.length) {
            int from = (int) (sent - base);
            byte[] piece = new byte[Math.min(PIECE_BYTES, kept.length - from)];
            System.arraycopy(kept, from, piece, 0, piece.length);
            frame(out, 'D', piece);
            sent += piece.length;
        }
        if (pings) {
            frame(out, 'P', new byte[0]);
            pings = false;
        }
        return out.toByteArray();
    }

    /** @throws SessionFault for what no other end says */
    void heard(byte[] bytes, int length) {
        unread = joined(unread, bytes, length);
        int at = 0;
        while (unread.length - at >= HEADER_BYTES) {
            int size = ByteBuffer.wrap(unread, at, HEADER_BYTES).getInt() & 0xffffff;
            if (size > MOST_FRAME_BYTES) {
                throw new SessionFault("a frame of " + size + " bytes");
            }
            if (unread.length - at < HEADER_BYTES + size) {
                break;
            }
            byte[] body = new byte[size];
            System.arraycopy(unread, at + HEADER_BYTES, body, 0, size);
            byte type = unread[at];
            at += HEADER_BYTES + size;
            frame(type, body);
        }
        byte[] rest = new byte[unread.length - at];
        System.arraycopy(unread, at, rest, 0, rest.length);
        unread = rest;
    }

    private void frame(byte type, byte[] body) {
        switch (type) {
            case 'H' -> {
                acknowledge(body);
                sent = base;
                greeted = true;
            }
            case 'A' -> acknowledge(body);
            case 'D' -> {
                if (!greeted) {
                    throw new SessionFault("bytes before a greeting");
                }
                received += body.length;
                reader.accept(body);
            }
            case 'P' -> {
                // A sign of life says no more.
            }
            default -> throw new SessionFault("a frame of no kind");
        }
    }

    private void acknowledge(byte[] body) {
        long offset = body.length == Long.BYTES ? ByteBuffer.wrap(body).getLong() : -1;
        if (offset < base || offset > base + kept.length) {
            throw new SessionFault("its other end has forgotten it");
        }
        int gone = (int) (offset - base);
        byte[] left = new byte[kept.length - gone];
        System.arraycopy(kept, gone, left, 0, left.length);
        kept = left;
        base = offset;
    }

    private static void frame(ByteArrayOutputStream out, char type, byte[] body) {
        out.writeBytes(ByteBuffer.allocate(HEADER_BYTES)
                .putInt((type << 24) | body.length)
                .array());
        out.writeBytes(body);
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static byte[] joined(byte[] first, byte[] second, int length) {
        byte[] all = new byte[first.length + length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(second, 0, all, first.length, length);
        return all;
    }
}
