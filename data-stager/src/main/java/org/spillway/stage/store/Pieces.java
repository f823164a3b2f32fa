package org.spillway.stage.store;

/** How files are cut: into pieces of one size, of which the last is what is left. Pure. */
public final class Pieces {
    /** Length of a piece of a large file; a smaller file is one piece. */
    public static final int BYTES = 8 << 20;

    private Pieces() {}

    /** Of a file; none of an empty one. */
    public static int count(long fileBytes) {
        return Math.toIntExact(Math.ceilDiv(fileBytes, BYTES));
    }

    /** Bytes of the piece at {@code index}, from 0. */
    public static int length(long fileBytes, int index) {
        return (int) Math.min(BYTES, fileBytes - (long) index * BYTES);
    }
}
