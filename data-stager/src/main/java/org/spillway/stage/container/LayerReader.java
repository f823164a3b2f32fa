package org.spillway.stage.container;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads a layer of an image, a tar file of others: ustar, pax and GNU's long names, with links and modes, which
 * {@link org.spillway.stage.tree.TarReader} leaves out. A name is bytes, a character for each. Does nothing with files.
 */
final class LayerReader {
    private static final int BLOCK = 512;
    private static final int EXTENDED_MOST = 1 << 20;

    /**
     * @param name as it stands there
     * @param type {@code 0} a file, {@code 1} a further name of one, {@code 2} a link, {@code 5} a folder; others are devices
     * @param link where a link leads
     */
    record Entry(String name, char type, int mode, long bytes, long modified, String link) {}

    private final InputStream in;
    private final byte[] block = new byte[BLOCK];
    private final byte[] unread = new byte[64 * 1024];
    private long left;
    private int padding;

    LayerReader(InputStream in) {
        this.in = in;
    }

    /** The next, or null at the end. @throws ImageRefused if it is no tar, or cut off */
    @Nullable
    Entry next() throws IOException {
        String name = null;
        String link = null;
        long bytes = -1;
        long modified = -1;
        try {
            while (true) {
                skip(left);
                skip(padding);
                left = 0;
                padding = 0;
                if (!readBlock()) {
                    return null;
                }
                char type = (char) (block[156] & 0xff);
                long size = number(124, 12);
                String own = extended(type) ? new String(extension(size), StandardCharsets.ISO_8859_1) : "";
                switch (type) {
                    case 'g' -> {}
                    case 'L' -> name = untilZero(own);
                    case 'K' -> link = untilZero(own);
                    case 'x' -> {
                        for (int at = 0; at < own.length(); ) {
                            int blank = own.indexOf(' ', at);
                            int length = blank < 0 ? 0 : Integer.parseInt(own.substring(at, blank));
                            if (length <= blank - at + 1 || at + length > own.length()) {
                                throw broken("an extended header");
                            }
                            String record = own.substring(blank + 1, at + length - 1);
                            String value = record.substring(record.indexOf('=') + 1);
                            switch (record.substring(0, Math.max(0, record.indexOf('=')))) {
                                case "path" -> name = value;
                                case "linkpath" -> link = value;
                                case "size" -> bytes = Long.parseLong(value);
                                case "mtime" -> modified = Long.parseLong(value.replaceAll("\\..*", ""));
                                case "GNU.sparse.major", "GNU.sparse.map" -> throw broken("a sparse file");
                                default -> {}
                            }
                            at += length;
                        }
                    }
                    case 'S' -> throw broken("a sparse file");
                    default -> {
                        String whole = name == null ? ownName() : name;
                        char file = whole.endsWith("/") ? '5' : '0';
                        char kind = type == 0 || type == '7' || type == '0' ? file : type;
                        long content = kind == '0' ? bytes < 0 ? size : bytes : 0;
                        if (content < 0) {
                            throw broken("a size");
                        }
                        left = kind == '1' || kind == '2' || kind == '5' ? 0 : bytes < 0 ? size : bytes;
                        padding = (int) (-left & (BLOCK - 1));
                        return new Entry(
                                whole,
                                kind,
                                (int) number(100, 8) & 07777,
                                content,
                                modified < 0 ? number(136, 12) : modified,
                                link == null ? text(157, 100) : link);
                    }
                }
            }
        } catch (EOFException e) {
            throw broken("its end, which is missing");
        } catch (NumberFormatException e) {
            throw broken("a number");
        }
    }

    /** Bytes of the entry that {@link #next} gave last. @return -1 at their end */
    int read(byte[] into, int at, int length) throws IOException {
        if (left == 0) {
            return -1;
        }
        int n = in.read(into, at, (int) Math.min(left, length));
        if (n < 0) {
            throw broken("its end, which is missing");
        }
        left -= n;
        return n;
    }

    /** By reading: a stream that is digested leaves out what is skipped. */
    private void skip(long bytes) throws IOException {
        for (long rest = bytes; rest > 0; ) {
            int n = in.read(unread, 0, (int) Math.min(rest, unread.length));
            if (n < 0) {
                throw new EOFException();
            }
            rest -= n;
        }
    }

    private static boolean extended(char type) {
        return type == 'x' || type == 'L' || type == 'K' || type == 'g';
    }

    private byte[] extension(long size) throws IOException {
        if (size < 0 || size > EXTENDED_MOST) {
            throw broken("an extended header");
        }
        byte[] all = new byte[(int) size];
        if (in.readNBytes(all, 0, all.length) < all.length) {
            throw new EOFException();
        }
        skip(-size & (BLOCK - 1));
        return all;
    }

    /** False at the end: an empty block, or nothing more. */
    private boolean readBlock() throws IOException {
        int n = in.readNBytes(block, 0, BLOCK);
        if (n == 0) {
            return false;
        }
        if (n < BLOCK) {
            throw new EOFException();
        }
        int sum = 0;
        boolean empty = true;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= 148 && i < 156 ? ' ' : block[i] & 0xff;
            empty &= block[i] == 0;
        }
        if (!empty && sum != number(148, 8)) {
            throw broken("a header");
        }
        return !empty;
    }

    private String ownName() {
        String prefix = text(257, 5).equals("ustar") && block[262] == 0 ? text(345, 155) : "";
        return prefix.isEmpty() ? text(0, 100) : prefix + "/" + text(0, 100);
    }

    private String text(int at, int length) {
        return untilZero(new String(block, at, length, StandardCharsets.ISO_8859_1));
    }

    private static String untilZero(String text) {
        int end = text.indexOf('\0');
        return end < 0 ? text : text.substring(0, end);
    }

    /** Octal digits, or a binary number where its first bit is set. */
    private long number(int at, int length) {
        if ((block[at] & 0x80) != 0) {
            long value = block[at] & 0x3f;
            for (int i = 1; i < length; i++) {
                value = value << 8 | (block[at + i] & 0xff);
            }
            return (block[at] & 0x40) != 0 ? 0 : value;
        }
        String digits = text(at, length).strip();
        return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
    }

    private static ImageRefused broken(String what) {
        return new ImageRefused("a layer of the image is no tar file that can be read: " + what);
    }
}
