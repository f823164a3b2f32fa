package org.spillway.stage.tree;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes tar headers: ustar, with a pax extended header in front where a name or a size does not fit (IEEE 1003.1, pax).
 * The same member always gives the same bytes: owner 0, mode 644 or 755, whole seconds.
 */
public final class TarFormat {
    /** All of a tar stream comes in blocks of so many bytes. */
    public static final int BLOCK_BYTES = 512;
    /** Two empty blocks end a stream. */
    public static final int END_BYTES = 2 * BLOCK_BYTES;

    static final int NAME_BYTES = 100;
    static final int PREFIX_AT = 345;
    static final int PREFIX_BYTES = 155;
    static final int SIZE_AT = 124;
    static final int NUMBER_BYTES = 12;
    static final int CHECKSUM_AT = 148;
    static final int TYPE_AT = 156;
    static final int MAGIC_AT = 257;
    /** The most that eleven octal digits can say: 8 GiB less one byte, or the year 2242. */
    static final long OCTAL_MAX = 0_77777777777L;

    /**
     * A regular file.
     *
     * @param name relative, names divided by {@code /}
     * @param modifiedSeconds since 1970; what tar cannot say becomes the nearest that it can
     */
    public record Member(String name, long bytes, long modifiedSeconds, boolean executable) {
        public Member {
            if (name.isEmpty() || bytes < 0) {
                throw new IllegalArgumentException("not a member: '" + name + "', " + bytes + " bytes");
            }
        }
    }

    private TarFormat() {}

    /** All that stands before the bytes of {@code member}; a multiple of {@value #BLOCK_BYTES} bytes. */
    public static byte[] header(Member member) {
        return header(member, '0', member.executable() ? 0_755 : 0_644);
    }

    /** A character device 0/0 of that name: what overlayfs has in an upper layer where a lower one has what is gone. */
    public static byte[] gone(String name) {
        return header(new Member(name, 0, 0, false), '3', 0);
    }

    private static byte[] header(Member member, char type, int mode) {
        int cut = cut(member.name());
        long modified = Math.clamp(member.modifiedSeconds(), 0, OCTAL_MAX);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteArrayOutputStream extended = new ByteArrayOutputStream();
        if (cut < 0) {
            extended.writeBytes(record("path", member.name()));
        }
        if (member.bytes() > OCTAL_MAX) {
            extended.writeBytes(record("size", Long.toString(member.bytes())));
        }
        if (extended.size() > 0) {
            String name = fallback("PaxHeaders/" + member.name());
            all.writeBytes(block("", name, 'x', 0_644, extended.size(), modified));
            all.writeBytes(Arrays.copyOf(extended.toByteArray(), extended.size() + padding(extended.size())));
        }
        String prefix = cut > 0 ? member.name().substring(0, cut) : "";
        String name = cut < 0 ? fallback(member.name()) : member.name().substring(cut == 0 ? 0 : cut + 1);
        all.writeBytes(block(prefix, name, type, mode, Math.min(member.bytes(), OCTAL_MAX), modified));
        return all.toByteArray();
    }

    /** Zero bytes that follow so many bytes of content, up to the next block. */
    public static int padding(long bytes) {
        return (int) (-bytes & (BLOCK_BYTES - 1));
    }

    /** Where a name is cut in two to fit: 0 not at all, -1 if it cannot be said without an extended header. */
    private static int cut(String name) {
        if (name.chars().anyMatch(symbol -> symbol < ' ' || symbol > '~')) {
            return -1;
        }
        if (name.length() <= NAME_BYTES) {
            return 0;
        }
        int slash = name.indexOf('/', name.length() - NAME_BYTES - 1);
        return slash > 0 && slash <= PREFIX_BYTES && slash < name.length() - 1 ? slash : -1;
    }

    /** For readers that know no extended headers. */
    private static String fallback(String name) {
        String plain = name.replaceAll("[^ -~]", "_");
        return plain.length() <= NAME_BYTES ? plain : plain.substring(0, NAME_BYTES);
    }

    /** A record says its own length, digits of the length included. */
    private static byte[] record(String key, String value) {
        byte[] rest = (" " + key + "=" + value + "\n").getBytes(StandardCharsets.UTF_8);
        int length = rest.length + 1;
        while (length != rest.length + Integer.toString(length).length()) {
            length = rest.length + Integer.toString(length).length();
        }
        byte[] record = Arrays.copyOf(Integer.toString(length).getBytes(StandardCharsets.US_ASCII), length);
        System.arraycopy(rest, 0, record, length - rest.length, rest.length);
        return record;
    }

    private static byte[] block(String prefix, String name, char type, int mode, long bytes, long modified) {
        byte[] block = new byte[BLOCK_BYTES];
        put(block, 0, name);
        octal(block, 100, 7, mode);
        put(block, 108, "0000000");
        put(block, 116, "0000000");
        octal(block, SIZE_AT, 11, bytes);
        octal(block, 136, 11, modified);
        put(block, CHECKSUM_AT, "        ");
        block[TYPE_AT] = (byte) type;
        put(block, MAGIC_AT, "ustar");
        put(block, MAGIC_AT + 6, "00");
        put(block, 329, "0000000");
        put(block, 337, "0000000");
        put(block, PREFIX_AT, prefix);
        octal(block, CHECKSUM_AT, 6, sum(block));
        block[CHECKSUM_AT + 6] = 0;
        return block;
    }

    /** The sum of all bytes, as if the sum's own field were blank. */
    static int sum(byte[] block) {
        int sum = 0;
        for (int i = 0; i < BLOCK_BYTES; i++) {
            sum += i >= CHECKSUM_AT && i < CHECKSUM_AT + 8 ? ' ' : block[i] & 0xff;
        }
        return sum;
    }

    /** Digits with zeros in front. A format of text would take half of the time that a header takes. */
    private static void octal(byte[] block, int at, int digits, long value) {
        long left = value;
        for (int i = at + digits - 1; i >= at; i--) {
            block[i] = (byte) ('0' + (left & 7));
            left >>>= 3;
        }
    }

    private static void put(byte[] block, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }
}
