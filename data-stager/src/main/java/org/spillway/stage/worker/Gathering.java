package org.spillway.stage.worker;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.tree.TarFormat;
import org.spillway.stage.worker.UserFiles.Packed;

/** Makes a tar of files at home, if each of them is what it was said to be, before and after it was read. One use each. */
final class Gathering {
    private final FileChannel part;
    private final WorkerFiles.Sink alive;
    private final MessageDigest digest = Sha256.digest();
    private final ByteBuffer buffer = ByteBuffer.allocate(Frames.DATA_BYTES);
    private long written;

    /** @param part empty */
    Gathering(FileChannel part, WorkerFiles.Sink alive) {
        this.part = part;
        this.alive = alive;
    }

    /** @throws FileRefused if a file is not the one that came home any more, or there is no room */
    Checksum gather(List<RoundList.Member> members, long freeBytes) throws IOException {
        List<Packed> files = new ArrayList<>();
        for (RoundList.Member member : members) {
            check(member);
            files.add(packed(member));
        }
        Bundles.check(files);
        if (Bundles.length(files) > freeBytes) {
            throw new FileRefused("what came home needs " + (Bundles.length(files) >> 20)
                    + " MiB once more to go out again, and " + (freeBytes >> 20) + " MiB are free");
        }
        for (int i = 0; i < files.size(); i++) {
            Packed file = files.get(i);
            write(ByteBuffer.wrap(TarFormat.header(Bundles.member(file))));
            copy(file);
            check(members.get(i));
            write(ByteBuffer.allocate(TarFormat.padding(file.bytes())));
        }
        write(ByteBuffer.allocate(TarFormat.END_BYTES));
        part.force(true);
        return Sha256.checksum(written, digest);
    }

    private static void check(RoundList.Member member) throws IOException {
        if (!member.state().equals(RoundList.state(member.path()))) {
            throw new FileRefused(WorkerFiles.say(member.path()) + ": has changed since it came home");
        }
    }

    private static Packed packed(RoundList.Member member) throws IOException {
        PosixFileAttributes facts = WorkerFiles.facts(member.path());
        if (facts == null) {
            throw new FileRefused(WorkerFiles.say(member.path()) + ": has gone since it came home");
        }
        return new Packed(
                member.path().toString(),
                member.name(),
                facts.size(),
                facts.lastModifiedTime().to(TimeUnit.NANOSECONDS),
                facts.permissions().contains(PosixFilePermission.OWNER_EXECUTE));
    }

    private void copy(Packed file) throws IOException {
        Path path = Path.of(file.path());
        try (FileChannel from = FileChannel.open(path, StandardOpenOption.READ, NOFOLLOW_LINKS)) {
            for (long left = file.bytes(); left > 0; ) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), left));
                int n = from.read(buffer);
                if (n < 0) {
                    throw new FileRefused(
                            WorkerFiles.say(path) + ": has changed since it came home; it became shorter");
                }
                left -= n;
                write(buffer.flip());
            }
        }
    }

    private void write(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        digest.update(bytes.duplicate());
        while (bytes.hasRemaining()) {
            part.write(bytes);
        }
        if (written / Frames.WORKING_BYTES != (written + length) / Frames.WORKING_BYTES) {
            alive.working();
        }
        written += length;
    }
}
