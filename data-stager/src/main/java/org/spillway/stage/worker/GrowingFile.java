package org.spillway.stage.worker;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A file at home that grows with the output of a job elsewhere, and stays the same file: its user may be following it. */
final class GrowingFile {
    private GrowingFile() {}

    /** As {@link UserFiles#grow}. */
    static long grow(Path file, long from, byte[] bytes, boolean first) throws IOException {
        PosixFileAttributes facts = WorkerFiles.facts(file);
        if (facts != null && !facts.isRegularFile()) {
            throw new FileRefused(WorkerFiles.say(file) + ": is no regular file, so that nothing is added to it");
        }
        if (facts == null && from > 0) {
            throw new FileRefused(
                    WorkerFiles.say(file) + ": is not there, and the first " + from + " bytes are not kept");
        }
        try (FileChannel channel = facts == null ? created(file) : opened(file)) {
            long end = from + bytes.length;
            long size = channel.size();
            int known = (int) Math.clamp(size - from, 0, bytes.length);
            if (!isBeginning(channel, from, bytes, known, first)) {
                if (!first || from > 0) {
                    throw new FileRefused(WorkerFiles.say(file) + ": is not what the job wrote up to byte " + from);
                }
                channel.truncate(0);
                known = 0;
            }
            write(channel, ByteBuffer.wrap(bytes, known, bytes.length - known), from + known);
            return end;
        }
    }

    /** As {@link UserFiles#grow} behind what the file has. */
    static long add(Path file, String tag, long from, byte[] bytes) throws IOException {
        long end = from + bytes.length;
        new AddedFile(file, tag).add(from, new AddedFile.Source() {
            @Override
            public long end() {
                return end;
            }

            @Override
            public void read(ByteBuffer into, long at) {
                into.put(bytes, (int) (at - from), into.remaining());
            }
        });
        return end;
    }

    /** Adds all of a file, or what of it is not there yet. */
    static void add(Path file, String tag, Path whole) throws IOException {
        try (FileChannel channel = FileChannel.open(whole, StandardOpenOption.READ, NOFOLLOW_LINKS)) {
            long end = channel.size();
            new AddedFile(file, tag).add(0, new AddedFile.Source() {
                @Override
                public long end() {
                    return end;
                }

                @Override
                public void read(ByteBuffer into, long at) throws IOException {
                    while (into.hasRemaining() && channel.read(into, at + into.position()) >= 0) {}
                }
            });
        }
    }

    /** Where no byte of the piece is there, only a run that was followed from its start says that the file is its own. */
    private static boolean isBeginning(FileChannel channel, long from, byte[] bytes, int known, boolean first)
            throws IOException {
        long size = channel.size();
        boolean longer = first && from == 0 && size > bytes.length;
        if (size < from || longer || (known == 0 && first && from > 0)) {
            return false;
        }
        ByteBuffer there = ByteBuffer.allocate(known);
        while (there.hasRemaining()) {
            if (channel.read(there, from + there.position()) < 0) {
                return false;
            }
        }
        return there.flip().equals(ByteBuffer.wrap(bytes, 0, known));
    }

    private static FileChannel created(Path file) throws IOException {
        return FileChannel.open(
                file,
                Set.of(
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE_NEW,
                        NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
    }

    private static FileChannel opened(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, NOFOLLOW_LINKS);
    }

    private static void write(FileChannel channel, ByteBuffer bytes, long at) throws IOException {
        for (long next = at; bytes.hasRemaining(); ) {
            next += channel.write(bytes, next);
        }
    }

    /**
     * Adds the rest of a whole file to one that is its beginning.
     *
     * @return whether that file is the whole one now; if not, the whole one may take its place
     */
    static boolean finish(Path file, PosixFileAttributes facts, Path whole) {
        try {
            if (!facts.isRegularFile() || Files.mismatch(whole, file) != facts.size()) {
                return false;
            }
            try (FileChannel from = FileChannel.open(whole, StandardOpenOption.READ, NOFOLLOW_LINKS);
                    FileChannel to = opened(file)) {
                long at = facts.size();
                for (long moved = 1; moved > 0 && at < from.size(); at += moved) {
                    moved = to.transferFrom(from.position(at), at, from.size() - at);
                }
                to.force(true);
                return to.size() == from.size();
            }
        } catch (IOException cannot) {
            return false;
        }
    }
}
