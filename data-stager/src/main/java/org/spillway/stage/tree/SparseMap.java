package org.spillway.stage.tree;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Where the data of one sparse member lies, in GNU's format 1.0: extended headers give its name and length, and before its
 * data stand, in decimal lines padded to a block, the number of its runs and the place and length of each.
 */
final class SparseMap {
    /** So many runs are read; a file in more pieces than that is not. */
    static final int RUNS_MAX = 1_000_000;

    private static final String PREFIX = "GNU.sparse.";
    private static final int DIGITS_MAX = 18;

    private String name = "";
    private String version = "";
    private long bytes = -1;
    private long[] places = {};
    /** Sum of the runs up to and with this one. */
    private long[] ends = {};

    private int run;

    /** Takes in an extended header. */
    void keep(String key, String value) throws TarBroken {
        switch (key.substring(PREFIX.length())) {
            case "major" -> version = value + "." + version;
            case "minor" -> version = version + value;
            case "name" -> name = value;
            case "realsize" -> bytes = number(value);
            default -> {}
        }
    }

    /** Whether it can be read. */
    boolean isKnown() {
        return version.equals("1.0") && bytes >= 0;
    }

    String name() {
        return name;
    }

    /** Length of the file, holes included. */
    long bytes() {
        return bytes;
    }

    /**
     * Reads the map in front of the data.
     *
     * @param stored bytes of map and data together
     * @return bytes of the map
     * @throws TarBroken if it is not one, or does not fit its data
     */
    long read(InputStream in, long stored) throws IOException {
        Lines lines = new Lines(in, stored);
        long count = lines.next();
        if (count > RUNS_MAX) {
            version = "";
            return lines.taken();
        }
        places = new long[(int) count];
        ends = new long[(int) count];
        long data = 0;
        long place = 0;
        for (int i = 0; i < count; i++) {
            long from = lines.next();
            long length = lines.next();
            if (from < place || length > bytes - from) {
                throw new TarBroken("not a tar stream: the map of a sparse file is malformed");
            }
            place = from + length;
            data += length;
            places[i] = from;
            ends[i] = data;
        }
        long taken = lines.taken();
        if (data != stored - taken) {
            throw new TarBroken("not a tar stream: the map of a sparse file is not that of its data");
        }
        return taken;
    }

    /** Where the byte belongs that comes after so many of data; asked with rising numbers. */
    long position(long read) {
        seek(read);
        return run == ends.length ? bytes : places[run] + read - (run == 0 ? 0 : ends[run - 1]);
    }

    /** Bytes of data from there to the next hole. */
    long run(long read) {
        seek(read);
        return run == ends.length ? 0 : ends[run] - read;
    }

    private void seek(long read) {
        while (run < ends.length && ends[run] <= read) {
            run++;
        }
    }

    private static long number(String digits) throws TarBroken {
        if (!digits.matches("[0-9]{1," + DIGITS_MAX + "}")) {
            throw new TarBroken("not a tar stream: a size that is no number");
        }
        return Long.parseLong(digits);
    }

    /** Numbers, each ended by a line feed, in whole blocks. */
    private static final class Lines {
        private final InputStream in;
        private final long most;
        private final byte[] block = new byte[TarFormat.BLOCK_BYTES];
        private long taken;
        private int at = TarFormat.BLOCK_BYTES;

        Lines(InputStream in, long most) {
            this.in = in;
            this.most = most;
        }

        long next() throws IOException {
            StringBuilder digits = new StringBuilder();
            for (byte each = take(); each != '\n'; each = take()) {
                if (digits.length() == DIGITS_MAX) {
                    throw new TarBroken("not a tar stream: a size that is no number");
                }
                digits.append((char) (each & 0xff));
            }
            return number(digits.toString());
        }

        private byte take() throws IOException {
            if (at == block.length) {
                if (taken + block.length > most) {
                    throw new TarBroken("not a tar stream: the map of a sparse file has no end");
                }
                if (in.readNBytes(block, 0, block.length) < block.length) {
                    throw new EOFException();
                }
                taken += block.length;
                at = 0;
            }
            return block[at++];
        }

        /** @return all bytes of the map, which ends with its block */
        long taken() {
            return taken;
        }
    }
}
