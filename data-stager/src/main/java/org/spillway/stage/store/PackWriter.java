package org.spillway.stage.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Sha256;

/** A pack that is made in the region itself, of bytes that come there first. One thread's. */
public final class PackWriter implements AutoCloseable {
    /** A pack is ended when it has so many bytes: more than that is not lost to a kill. */
    private static final long FULL_BYTES = Pieces.BYTES;

    private final Path folder;
    private final Path growing;
    private final MessageDigest digest = Sha256.digest();
    private final List<Digest> digests = new ArrayList<>();
    private final List<Integer> lengths = new ArrayList<>();
    private @Nullable FileChannel open;
    private Path file;
    private long payload;
    private int piece;

    /**
     * @param growing the folder of packs that are being written: nobody looks for pieces there, since whoever has made the
     *     bytes could have made an end of a pack among them
     */
    PackWriter(Path folder, Path growing) {
        this.folder = folder;
        this.growing = growing;
        this.file = growing;
    }

    /** Adds bytes to the piece that is being written. */
    public void write(byte[] bytes, int from, int length) throws IOException {
        FileChannel channel = open;
        if (channel == null) {
            Files.createDirectories(growing);
            file = growing.resolve(UUID.randomUUID().toString());
            channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            open = channel;
            payload = 0;
        }
        ByteBuffer part = ByteBuffer.wrap(bytes, from, length);
        while (part.hasRemaining()) {
            channel.write(part, payload + piece + part.position() - from);
        }
        digest.update(bytes, from, length);
        piece += length;
    }

    /** Bytes of the piece that is being written; 0 between two. */
    public int pieceBytes() {
        return piece;
    }

    /** Ends the piece, which has a byte or more. */
    public Digest endPiece() {
        Digest made = Digest.of(digest.digest());
        digests.add(made);
        lengths.add(piece);
        payload += piece;
        piece = 0;
        return made;
    }

    /** The piece that is being written is nobody's. */
    public void dropPiece() throws IOException {
        digest.reset();
        piece = 0;
        FileChannel channel = open;
        if (channel != null) {
            channel.truncate(payload);
        }
    }

    /** Whether it is time to {@link #finish} it, between two pieces. */
    public boolean isFull() {
        return piece == 0 && (payload >= FULL_BYTES || digests.size() == PackEnd.PIECES_MAX);
    }

    /** Ends the pack, if there is any: its pieces are there for whoever looks from now on. The next byte begins another. */
    public void finish() throws IOException {
        dropPiece();
        FileChannel channel = open;
        if (channel == null) {
            return;
        }
        try (channel) {
            if (!digests.isEmpty()) {
                ByteBuffer end = ByteBuffer.wrap(PackEnd.of(digests, lengths));
                while (end.hasRemaining()) {
                    channel.write(end, payload + end.position());
                }
                channel.force(true);
                Files.createDirectories(folder);
                Files.move(file, folder.resolve("pulled-" + file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
            }
        } finally {
            open = null;
            if (digests.isEmpty()) {
                Files.deleteIfExists(file);
            }
            digests.clear();
            lengths.clear();
        }
    }

    @Override
    public void close() throws IOException {
        finish();
    }
}
