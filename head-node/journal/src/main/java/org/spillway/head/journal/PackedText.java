package org.spillway.head.journal;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * A long text that is much like an earlier one, its base: rows of the base are named by their numbers, only new ones are
 * written, and all of it is deflated. Of ten thousand nodes of which nothing is new, nothing is stored again.
 */
final class PackedText {
    /** More than any decision has: what is larger was not written by a head. */
    private static final int MOST_CHARACTERS = 256 << 20;

    private static final byte VERSION = 1;
    private final String base;
    private final String id;
    private final List<String> rows;
    private final Map<String, Integer> numbers = new HashMap<>();

    /** @param id of the base */
    PackedText(String id, String base) {
        this.id = id;
        this.base = base;
        this.rows = rows(base);
        for (int i = 0; i < rows.size(); i++) {
            numbers.putIfAbsent(rows.get(i), i);
        }
    }

    String text() {
        return base;
    }

    /** Where one row of a JSON array of objects ends. Whatever the text is, the rows together are the text. */
    private static List<String> rows(String text) {
        List<String> rows = new ArrayList<>();
        int from = 0;
        for (int end = text.indexOf("},{"); end >= 0; end = text.indexOf("},{", from)) {
            rows.add(text.substring(from, end + 2));
            from = end + 2;
        }
        rows.add(text.substring(from));
        return rows;
    }

    byte[] pack(String text) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        Deflater deflater = new Deflater();
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(packed, deflater))) {
            out.writeByte(VERSION);
            out.writeUTF(id);
            List<String> mine = rows(text);
            for (int i = 0; i < mine.size(); ) {
                int number = numbers.getOrDefault(mine.get(i), -1);
                int count = 1;
                while (number >= 0
                        && i + count < mine.size()
                        && number + count < rows.size()
                        && mine.get(i + count).equals(rows.get(number + count))) {
                    count++;
                }
                out.writeInt(number);
                if (number >= 0) {
                    out.writeInt(count);
                } else {
                    write(out, mine.get(i));
                }
                i += count;
            }
            out.writeInt(-2);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        } finally {
            deflater.end();
        }
        return packed.toByteArray();
    }

    /** By itself, without a base. */
    static byte[] whole(String text) {
        return new PackedText("", "").pack(text);
    }

    private static void write(DataOutputStream out, String row) throws IOException {
        byte[] bytes = row.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** Which base a packed text was made with; empty for none. @throws IOException if it is damaged */
    static String baseOf(byte[] packed) throws IOException {
        try (DataInputStream in = open(packed)) {
            return in.readUTF();
        }
    }

    private static DataInputStream open(byte[] packed) throws IOException {
        DataInputStream in = new DataInputStream(new InflaterInputStream(new java.io.ByteArrayInputStream(packed)));
        byte version = in.readByte();
        if (version != VERSION) {
            throw new IOException("packed by a later release, as version " + version);
        }
        return in;
    }

    /**
     * @param base of that text; empty where it has none
     * @throws IOException if it is damaged
     */
    static String unpack(byte[] packed, String base) throws IOException {
        List<String> rows = rows(base);
        StringBuilder text = new StringBuilder();
        try (DataInputStream in = open(packed)) {
            in.readUTF();
            for (int number = in.readInt(); number != -2; number = in.readInt()) {
                int count = in.readInt();
                if (count < 0 || (number >= 0 && number + (long) count > rows.size()) || number < -2) {
                    throw new IOException("it names rows that its base does not have");
                }
                if (number >= 0) {
                    rows.subList(number, number + count).forEach(text::append);
                } else {
                    text.append(new String(in.readNBytes(count), StandardCharsets.UTF_8));
                }
                if (text.length() > MOST_CHARACTERS) {
                    throw new IOException("it is longer than anything that a head writes");
                }
            }
        }
        return text.toString();
    }
}
