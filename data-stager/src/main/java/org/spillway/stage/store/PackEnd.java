package org.spillway.stage.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.spillway.stage.Sha256;

/**
 * The end of a pack, behind its pieces: digest and length of each in their order, their number, a SHA-256 over all of
 * that, and eight letters. A pack without it is not whole; with it, it tells by itself what it holds.
 */
public final class PackEnd {
    /** Most pieces of one pack. */
    public static final int PIECES_MAX = 4096;
    /** Most bytes of the pieces of one pack, unless it is a single one. */
    public static final long BYTES_MAX = 32L << 20;

    private static final long MAGIC = 0x5350574c_5041434bL; // SPWLPACK
    private static final int ENTRY_BYTES = Digest.BYTES + Integer.BYTES;
    private static final int TAIL_BYTES = Integer.BYTES + Digest.BYTES + Long.BYTES;

    /** @param from its place in the pack */
    record Entry(Digest digest, long from, int length) {}

    private PackEnd() {}

    /** @param lengths of the pieces, as many as {@code digests} */
    public static byte[] of(List<Digest> digests, List<Integer> lengths) {
        ByteBuffer end = ByteBuffer.allocate(digests.size() * ENTRY_BYTES + TAIL_BYTES);
        for (int i = 0; i < digests.size(); i++) {
            digests.get(i).to(end);
            end.putInt(lengths.get(i));
        }
        end.putInt(digests.size());
        MessageDigest digest = Sha256.digest();
        digest.update(end.array(), 0, end.position());
        end.put(digest.digest());
        return end.putLong(MAGIC).array();
    }

    /** The pieces of a pack; empty if it is not whole. */
    static Optional<List<Entry>> read(FileChannel pack) throws IOException {
        long bytes = pack.size();
        if (bytes < TAIL_BYTES) {
            return Optional.empty();
        }
        ByteBuffer tail = read(pack, bytes - TAIL_BYTES, TAIL_BYTES);
        int count = tail.getInt();
        if (tail.getLong(TAIL_BYTES - Long.BYTES) != MAGIC || count < 1 || count > PIECES_MAX) {
            return Optional.empty();
        }
        int length = count * ENTRY_BYTES;
        long payload = bytes - TAIL_BYTES - length;
        if (payload < 0) {
            return Optional.empty();
        }
        ByteBuffer list = read(pack, payload, length);
        MessageDigest digest = Sha256.digest();
        digest.update(list.array());
        digest.update(tail.array(), 0, Integer.BYTES);
        if (!Digest.of(digest.digest()).equals(Digest.from(tail))) {
            return Optional.empty();
        }
        List<Entry> entries = new ArrayList<>(count);
        long from = 0;
        while (list.hasRemaining()) {
            Entry entry = new Entry(Digest.from(list), from, list.getInt());
            if (entry.length < 1) {
                return Optional.empty();
            }
            entries.add(entry);
            from += entry.length;
        }
        return from == payload ? Optional.of(entries) : Optional.empty();
    }

    private static ByteBuffer read(FileChannel pack, long from, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            if (pack.read(bytes, from + bytes.position()) < 0) {
                throw new IOException("a pack became shorter while it was read");
            }
        }
        return bytes.flip();
    }
}
