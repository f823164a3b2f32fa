package org.spillway.stage.worker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.Digest;
import org.spillway.stage.worker.UserFiles.Packed;
import org.spillway.stage.worker.UserFiles.Slice;

/** Writes pieces of files, each read and digested once, with the rights of this process. One use each. */
final class PiecePacker {
    private static final int PIECES_PER_SIGN_OF_LIFE = 64;

    private final WorkerFiles.Sink sink;
    private final long sendFrom;
    private final MessageDigest digest = Sha256.digest();
    private final byte[] buffer = new byte[Frames.DATA_BYTES];
    private int filled;
    private long flushed;

    PiecePacker(long sendFrom, WorkerFiles.Sink sink) {
        this.sendFrom = sendFrom;
        this.sink = sink;
    }

    List<Digest> pack(List<Slice> slices) throws IOException {
        long length = slices.stream().mapToLong(Slice::length).sum();
        if (sendFrom < 0 || sendFrom > length) {
            throw new FileRefused("the pieces have " + length + " bytes, so they cannot be read from " + sendFrom);
        }
        List<Digest> digests = new ArrayList<>(slices.size());
        for (Slice slice : slices) {
            if (digests.size() % PIECES_PER_SIGN_OF_LIFE == PIECES_PER_SIGN_OF_LIFE - 1) {
                sink.working(); // small files on a slow disk fill no buffer for long
            }
            Path path = Path.of(slice.file().path());
            check(path, slice.file()); // before it is opened: opening a pipe would wait
            read(path, slice);
            check(path, slice.file());
            digests.add(Digest.of(digest.digest()));
        }
        flush();
        return digests;
    }

    private void read(Path path, Slice slice) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long at = slice.from();
            for (int left = slice.length(); left > 0; ) {
                if (filled == buffer.length) {
                    flush();
                }
                int n = channel.read(ByteBuffer.wrap(buffer, filled, Math.min(buffer.length - filled, left)), at);
                if (n < 0) {
                    throw new FileRefused(WorkerFiles.say(path) + ": changed while it was copied; it became shorter");
                }
                digest.update(buffer, filled, n);
                filled += n;
                at += n;
                left -= n;
            }
        }
    }

    private static void check(Path path, Packed file) throws IOException {
        BasicFileAttributes facts = Files.readAttributes(path, BasicFileAttributes.class);
        if (!facts.isRegularFile()) {
            throw new FileRefused(WorkerFiles.say(path) + ": is no regular file any more");
        }
        if (facts.size() != file.bytes() || facts.lastModifiedTime().to(TimeUnit.NANOSECONDS) != file.modifiedNanos()) {
            throw new FileRefused(WorkerFiles.say(path) + ": changed since it was found (" + file.bytes()
                    + " bytes then, " + facts.size() + " now)");
        }
    }

    private void flush() throws IOException {
        int skip = (int) Math.clamp(sendFrom - flushed, 0, filled);
        if (skip < filled) {
            System.arraycopy(buffer, skip, buffer, 0, filled - skip);
            sink.data(buffer, filled - skip);
        } else if (flushed / Frames.WORKING_BYTES != (flushed + filled) / Frames.WORKING_BYTES) {
            sink.working();
        }
        flushed += filled;
        filled = 0;
    }
}
