package org.spillway.stage.worker;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;

/**
 * The output of a run behind what a file at home had before, each byte once. Others may add to
 * that file meanwhile, so where a piece lies is nothing that its offset tells. A hidden list beside the file says of each piece, before
 * it is written, where it will lie at the earliest, and then that it was. Of a piece of which it does not say so it is looked.
 */
final class AddedFile {
    private static final int PIECE = 1 << 20;
    /** Others' bytes among which a piece is looked for that is not where it was expected. */
    private static final int MOST_SEARCHED = 8 << 20;

    private static final int LEAST_FOUND = 16;

    private final Path file;
    private final Path list;
    /** Of the run's stream; the end of what is in the file, as far as that is known. */
    private long next;
    /** The end of a piece behind it that may be in the file, from that place on; the same where there is none. */
    private long noted;

    private long place;
    /** Bytes of the list that are whole lines. */
    private int listed;

    /** Bytes of the run's stream. */
    interface Source {
        long end();

        /** Fills the buffer, from that place of the stream. */
        void read(ByteBuffer bytes, long from) throws IOException;
    }

    /**
     * @param file may be a link of its user's
     * @param tag of the run: another one adds all of its output anew
     */
    AddedFile(Path file, String tag) throws IOException {
        Path real = Files.exists(file) ? file.toRealPath() : file;
        PosixFileAttributes facts = WorkerFiles.facts(real);
        if (facts != null && !facts.isRegularFile()) {
            throw new FileRefused(WorkerFiles.say(file) + ": is no regular file, so that nothing is added to it");
        }
        this.file = real;
        // Beside the name: the folder of what a link leads to may take no list.
        this.list = WorkerFiles.part(UserFiles.added(file), tag);
        read();
    }

    private void read() throws IOException {
        if (!Files.isRegularFile(list, NOFOLLOW_LINKS)) {
            return;
        }
        String text = Files.readString(list, StandardCharsets.US_ASCII);
        // A last line without its end was cut off with its writer, who had not written the piece then.
        listed = text.lastIndexOf('\n') + 1;
        for (String line : text.substring(0, listed).lines().toList()) {
            String[] words = line.split(" ", 2);
            noted = Long.parseLong(words[0]);
            if (words.length == 2) {
                place = Long.parseLong(words[1]);
            } else {
                next = noted;
            }
        }
    }

    /**
     * Adds what is not there yet.
     *
     * @param from where the source begins in the stream
     * @throws FileRefused if bytes before it never came
     */
    void add(long from, Source source) throws IOException {
        if (from > next || (noted > next && source.end() < noted)) {
            throw new FileRefused(
                    WorkerFiles.say(file) + ": bytes behind byte " + next + " of the output have not come");
        }
        try (FileChannel notes = FileChannel.open(
                        list,
                        Set.of(
                                StandardOpenOption.WRITE,
                                StandardOpenOption.APPEND,
                                StandardOpenOption.CREATE,
                                NOFOLLOW_LINKS),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                FileChannel to = FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.WRITE, StandardOpenOption.APPEND, StandardOpenOption.CREATE),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")))) {
            notes.truncate(listed);
            if (noted > next) {
                next += found(source);
                note(notes, Long.toString(next));
            }
            while (next < source.end()) {
                ByteBuffer bytes = bytes(source, next, Math.min(PIECE, source.end() - next));
                long end = next + bytes.remaining();
                note(notes, end + " " + to.size());
                notes.force(true);
                write(to, bytes);
                note(notes, Long.toString(end));
                next = end;
            }
            to.force(true);
        }
    }

    private static ByteBuffer bytes(Source source, long from, long count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(count));
        source.read(bytes, from);
        return bytes.flip();
    }

    private static void note(FileChannel notes, String line) throws IOException {
        write(notes, ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII)));
    }

    private static void write(FileChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    /** How much of the noted piece is in the file: all, its beginning where the file ends, or nothing. */
    private int found(Source source) throws IOException {
        byte[] piece = bytes(source, next, noted - next).array();
        byte[] there;
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
            long count = Math.clamp(from.size() - place, 0, (long) MOST_SEARCHED + piece.length);
            ByteBuffer bytes = ByteBuffer.allocate((int) count);
            while (bytes.hasRemaining() && from.read(bytes, place + bytes.position()) >= 0) {}
            there = Arrays.copyOf(bytes.array(), bytes.position());
        }
        int same = Arrays.mismatch(there, piece);
        if (same < 0 || same == piece.length) {
            return piece.length;
        }
        if (same == there.length) {
            return same;
        }
        // A few letters are found in anybody's words: rather twice than not at all.
        for (int at = 1; piece.length >= LEAST_FOUND && at + piece.length <= there.length; at++) {
            if (there[at] == piece[0] && Arrays.equals(there, at, at + piece.length, piece, 0, piece.length)) {
                return piece.length;
            }
        }
        return 0;
    }
}
