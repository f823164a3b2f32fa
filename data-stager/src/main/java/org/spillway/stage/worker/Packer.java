package org.spillway.stage.worker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.tree.TarFormat;
import org.spillway.stage.worker.UserFiles.Packed;

/** Writes files as a tar stream, with the rights of this process. One use each. */
final class Packer {
    private static final int FILES_PER_SIGN_OF_LIFE = 64;

    private final WorkerFiles.Sink sink;
    private final long sendFrom;
    private final MessageDigest digest = Sha256.digest();
    private final byte[] buffer = new byte[Frames.DATA_BYTES];
    private int filled;
    private long flushed;

    Packer(long sendFrom, WorkerFiles.Sink sink) {
        this.sendFrom = sendFrom;
        this.sink = sink;
    }

    Checksum pack(List<Packed> files) throws IOException {
        Bundles.check(files);
        long length = Bundles.length(files);
        if (sendFrom < 0 || sendFrom > length) {
            throw new FileRefused("the bundle has " + length + " bytes, so it cannot be read from " + sendFrom);
        }
        int count = 0;
        for (Packed file : files) {
            if (++count % FILES_PER_SIGN_OF_LIFE == 0) {
                sink.working(); // small files on a slow disk fill no buffer for long
            }
            put(TarFormat.header(Bundles.member(file)));
            content(file);
            put(new byte[TarFormat.padding(file.bytes())]);
        }
        put(new byte[TarFormat.END_BYTES]);
        flush();
        return Sha256.checksum(flushed, digest);
    }

    private void content(Packed file) throws IOException {
        Path path = Path.of(file.path());
        check(path, file); // before it is opened: opening a pipe would wait
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long left = file.bytes();
            while (left > 0) {
                if (filled == buffer.length) {
                    flush();
                }
                int n = channel.read(ByteBuffer.wrap(buffer, filled, (int) Math.min(buffer.length - filled, left)));
                if (n < 0) {
                    throw new FileRefused(WorkerFiles.say(path) + ": changed while it was copied; it became shorter");
                }
                filled += n;
                left -= n;
            }
        }
        check(path, file);
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

    private void put(byte[] bytes) throws IOException {
        for (int done = 0; done < bytes.length; ) {
            if (filled == buffer.length) {
                flush();
            }
            int n = Math.min(buffer.length - filled, bytes.length - done);
            System.arraycopy(bytes, done, buffer, filled, n);
            filled += n;
            done += n;
        }
    }

    private void flush() throws IOException {
        digest.update(buffer, 0, filled);
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
