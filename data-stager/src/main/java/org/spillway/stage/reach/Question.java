package org.spillway.stage.reach;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A question about a user's files.
 *
 * @param path absolute
 * @param identity of the file that is read, as {@link Entry#identity} told it; of files that are read whole their names and
 *     identities; empty for other questions
 * @param offset 0 or more
 * @param length bytes that are wanted, at most {@value #MOST_READ}
 */
public record Question(Kind kind, String path, String identity, long offset, int length) {
    public static final int MOST_READ = 512 * 1024;

    /** Bytes of a file that may be asked for with others. */
    public static final int SMALL = 64 * 1024;

    /** Files of one such question, and their bytes. */
    public static final int MOST_WHOLE = 128;

    public static final int MOST_WHOLE_BYTES = 512 * 1024;

    private static final Kind[] KINDS = Kind.values();

    /** Sent as its place in this list, so new ones are added at the end. */
    public enum Kind {
        /** The {@link Entry} of a path; no link is followed. */
        STAT,
        /** All of a folder, each an {@link Entry}. */
        LIST,
        READ,
        /** Whole files of a folder, as {@link #whole} asks for them; {@link Reply#contents} reads the answer. */
        WHOLE
    }

    public Question {
        if (offset < 0 || length < 0 || length > MOST_READ) {
            throw new IllegalArgumentException("not a part of a file: " + length + " bytes from " + offset);
        }
    }

    public static Question stat(String path) {
        return new Question(Kind.STAT, path, "", 0, 0);
    }

    public static Question list(String path) {
        return new Question(Kind.LIST, path, "", 0, 0);
    }

    /** @param files of that folder, {@value #MOST_WHOLE} at most, and {@value #MOST_WHOLE_BYTES} bytes */
    public static Question whole(String folder, List<Entry> files) {
        String words =
                files.stream().map(file -> file.name() + "/" + file.identity()).collect(Collectors.joining("/"));
        return new Question(Kind.WHOLE, folder, words, 0, 0);
    }

    /** Name and identity of each file that such a question is about. @throws IllegalArgumentException if it is none */
    public List<List<String>> files() {
        String[] words = identity.split("/", -1);
        if (words.length % 2 != 0 || words.length > 2 * MOST_WHOLE) {
            throw new IllegalArgumentException("not names and identities");
        }
        List<List<String>> files = new ArrayList<>();
        for (int at = 0; at < words.length; at += 2) {
            files.add(List.of(words[at], words[at + 1]));
        }
        return files;
    }

    public void to(DataOutputStream out) throws IOException {
        out.writeByte(kind.ordinal());
        out.writeUTF(path);
        out.writeUTF(identity);
        out.writeLong(offset);
        out.writeInt(length);
    }

    /** @throws IllegalArgumentException if it is none */
    public static Question from(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        if (kind >= KINDS.length) {
            throw new IllegalArgumentException("not a kind of question: " + kind);
        }
        return new Question(KINDS[kind], in.readUTF(), in.readUTF(), in.readLong(), in.readInt());
    }
}
