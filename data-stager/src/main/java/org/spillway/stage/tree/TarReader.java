package org.spillway.stage.tree;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a tar stream member by member: ustar, pax (path, size), GNU's long names and large numbers, as GNU tar
 * writes them with {@code --format=posix|gnu}, and its sparse files of format 1.0 ({@code --format=posix -S}), of which
 * only the data lies in the stream ("Storing Sparse Files" in GNU tar's manual). Holds one header at a time, whatever
 * the stream claims; does nothing with the file system.
 *
 * <p>Apache Commons Compress writes our images, and does not read what nodes send: version 1.28.0 grows its memory by
 * what a long name's header claims, takes a stream that ends between two members for whole, and turns a name that is
 * not UTF-8 into another name. ADR 24 has the measurements.
 */
public final class TarReader {
    /** Longest extended header; GNU tar writes attributes into it when it is told to. */
    public static final int EXTENDED_BYTES_MAX = 1 << 20;

    /** Kind of a member. */
    public enum Kind {
        FILE,
        FOLDER,
        /** Links, devices, pipes, sparse files of formats before GNU's 1.0, and what has a name that is not UTF-8. */
        OTHER
    }

    /**
     * @param name as it stands there, without a slash at the end
     * @param bytes its length, holes included
     */
    public record Entry(String name, Kind kind, long bytes, boolean executable) {}

    private final InputStream in;
    /** Bytes of the latest member that were not read yet, and the padding behind them. */
    private long left;

    private long read;
    private int padding;
    private final byte[] block = new byte[TarFormat.BLOCK_BYTES];
    private @Nullable String longName;
    private long longSize;
    private @Nullable SparseMap sparse;

    public TarReader(InputStream in) {
        this.in = in;
    }

    /**
     * The next member, or null at the end.
     *
     * @throws TarBroken if the stream is cut off, or no tar
     */
    public @Nullable Entry next() throws IOException {
        try {
            longName = null;
            longSize = -1;
            sparse = null;
            while (true) {
                in.skipNBytes(left);
                in.skipNBytes(padding);
                left = 0;
                padding = 0;
                read = 0;
                if (!readHeader()) {
                    return null;
                }
                Entry entry = entry();
                if (entry != null) {
                    return entry;
                }
            }
        } catch (EOFException e) {
            throw new TarBroken("the tar stream is cut off");
        }
    }

    /** Bytes of the latest member that are in the stream and were not read yet; without holes. */
    public long stored() {
        return left;
    }

    /** Where in the latest member the bytes belong that {@link #read} gives next; its length at its end. */
    public long position() {
        SparseMap map = sparse;
        return map == null ? read : map.position(read);
    }

    /** Reads from the latest member, never over a hole. @return -1 at its end */
    public int read(byte[] buffer) throws IOException {
        if (left == 0) {
            return -1;
        }
        long most = sparse == null ? left : Math.min(left, sparse.run(read));
        int n = in.read(buffer, 0, (int) Math.min(buffer.length, most));
        if (n < 0) {
            throw new TarBroken("the tar stream is cut off");
        }
        left -= n;
        read += n;
        return n;
    }

    private boolean readHeader() throws IOException {
        readFully(block);
        boolean empty = true;
        for (int i = 0; i < block.length && empty; i++) {
            empty = block[i] == 0;
        }
        if (!empty && number(TarFormat.CHECKSUM_AT, 8) != TarFormat.sum(block)) {
            throw new TarBroken("not a tar stream: the checksum of a header is wrong");
        }
        return !empty;
    }

    private void readFully(byte[] bytes) throws IOException {
        if (in.readNBytes(bytes, 0, bytes.length) < bytes.length) {
            throw new EOFException();
        }
    }

    /** @return null after a header that only says something about the next one */
    private @Nullable Entry entry() throws IOException {
        char type = (char) (block[TarFormat.TYPE_AT] & 0xff);
        long size = number(TarFormat.SIZE_AT, TarFormat.NUMBER_BYTES);
        switch (type) {
            case 'x' -> extended(content(size));
            case 'L' -> longName = text(content(size));
            case 'g', 'K' -> expect(size);
            case '0', '\0', '7' -> {
                expect(longSize >= 0 ? longSize : size);
                return name().endsWith("/") ? entry(Kind.FOLDER) : file();
            }
            case '5' -> {
                return entry(Kind.FOLDER);
            }
            case '1', '2', '3', '4', '6' -> {
                return entry(Kind.OTHER);
            }
            default -> {
                expect(longSize >= 0 ? longSize : size);
                return entry(Kind.OTHER);
            }
        }
        return null;
    }

    private Entry file() throws IOException {
        SparseMap map = sparse;
        if (map == null) {
            return entry(Kind.FILE);
        }
        if (map.isKnown()) {
            left -= map.read(in, left);
        }
        Entry entry = entry(map.isKnown() ? Kind.FILE : Kind.OTHER);
        if (map.isKnown()) {
            return new Entry(entry.name(), entry.kind(), map.bytes(), entry.executable());
        }
        sparse = null;
        return entry;
    }

    private Entry entry(Kind kind) throws TarBroken {
        String name = name();
        int end = name.length();
        while (end > 1 && name.charAt(end - 1) == '/') {
            end--;
        }
        boolean readable = name.indexOf('\uFFFD') < 0;
        boolean executable = (number(100, 8) & 0_100) != 0;
        return new Entry(name.substring(0, end), readable ? kind : Kind.OTHER, left, executable);
    }

    private String name() {
        if (sparse != null && !sparse.name().isEmpty()) {
            return sparse.name();
        }
        if (longName != null) {
            return longName;
        }
        String name = text(Arrays.copyOf(block, TarFormat.NAME_BYTES));
        boolean ustar = block[TarFormat.MAGIC_AT + 5] == 0
                && text(TarFormat.MAGIC_AT, 6).equals("ustar");
        String prefix = ustar ? text(TarFormat.PREFIX_AT, TarFormat.PREFIX_BYTES) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private void expect(long size) throws TarBroken {
        if (size > 1L << 60) {
            throw new TarBroken("not a tar stream: a member of " + size + " bytes");
        }
        left = size;
        padding = TarFormat.padding(size);
    }

    private byte[] content(long size) throws IOException {
        if (size > EXTENDED_BYTES_MAX) {
            throw new TarBroken(
                    "not a tar stream: an extended header of " + size + " bytes, more than " + EXTENDED_BYTES_MAX);
        }
        expect(size);
        byte[] content = new byte[(int) size];
        readFully(content);
        left = 0;
        return content;
    }

    /** Records of the form {@code LENGTH KEY=VALUE\n}. */
    private void extended(byte[] records) throws TarBroken {
        int at = 0;
        while (at < records.length && records[at] != 0) {
            int space = at;
            int length = 0;
            while (space < records.length && records[space] >= '0' && records[space] <= '9' && space - at < 8) {
                length = length * 10 + records[space++] - '0';
            }
            int equals = space;
            while (equals < records.length && records[equals] != '=') {
                equals++;
            }
            int end = at + length;
            if (end > records.length || equals >= end || records[space] != ' ' || records[end - 1] != '\n') {
                throw new TarBroken("not a tar stream: an extended header is malformed");
            }
            String key = text(Arrays.copyOfRange(records, space + 1, equals));
            keep(key, Arrays.copyOfRange(records, equals + 1, end - 1));
            at = end;
        }
    }

    private void keep(String key, byte[] value) throws TarBroken {
        if (key.equals("path")) {
            longName = text(value);
        } else if (key.equals("size")) {
            String digits = text(value);
            if (!digits.matches("[0-9]{1,18}")) {
                throw new TarBroken("not a tar stream: a size that is no number");
            }
            longSize = Long.parseLong(digits);
        } else if (key.startsWith("GNU.sparse.")) {
            sparse = sparse == null ? new SparseMap() : sparse;
            sparse.keep(key, text(value));
        }
    }

    private String text(int at, int length) {
        return text(Arrays.copyOfRange(block, at, at + length));
    }

    /** Up to the first zero byte; with U+FFFD in it if it is not UTF-8. */
    private static String text(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /** Octal digits, or with the highest bit set a binary number, as GNU tar writes large ones. */
    private long number(int at, int length) throws TarBroken {
        long number = 0;
        if ((block[at] & 0x80) != 0) {
            boolean tooLarge = (block[at] & 0x7f) != 0;
            for (int i = at + 1; i < at + length; i++) {
                tooLarge |= number >= 1L << 54;
                number = (number << 8) | (block[i] & 0xff);
            }
            if (tooLarge) {
                throw new TarBroken("not a tar stream: a number is too large");
            }
            return number;
        }
        String digits = text(at, length).strip();
        if (!digits.matches("[0-7]{0,12}")) {
            throw new TarBroken("not a tar stream: a number is no number");
        }
        return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
    }
}
