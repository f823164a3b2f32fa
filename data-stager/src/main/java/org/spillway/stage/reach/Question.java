package org.spillway.stage.reach;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * A question about a user's files.
 *
 * @param path absolute
 * @param identity of the file that is read, as {@link Entry#identity} told it; empty for other questions
 * @param offset 0 or more
 * @param length bytes that are wanted, at most {@value #MOST_READ}
 */
public record Question(Kind kind, String path, String identity, long offset, int length) {
    public static final int MOST_READ = 128 * 1024;

    private static final Kind[] KINDS = Kind.values();

    /** Sent as its place in this list, so new ones are added at the end. */
    public enum Kind {
        /** The {@link Entry} of a path; no link is followed. */
        STAT,
        /** All of a folder, each an {@link Entry}. */
        LIST,
        READ
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
