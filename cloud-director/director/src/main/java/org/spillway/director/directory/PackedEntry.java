package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.ReadOnlyEntry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * An entry in a tenth of the memory that its object takes: name, attributes and values as UTF-8 behind their lengths. The
 * entryUUID is the id. Immutable.
 */
final class PackedEntry {
    private static final String ID = "entryUUID";

    private final UUID id;
    private final byte[] bytes;

    private PackedEntry(UUID id, byte[] bytes) {
        this.id = id;
        this.bytes = bytes;
    }

    static PackedEntry of(UUID id, Entry entry) {
        List<byte[]> words = new ArrayList<>();
        words.add(utf8(entry.getDN()));
        for (Attribute attribute : entry.getAttributes()) {
            if (!attribute.getName().equals(ID)) {
                words.add(utf8(attribute.getName()));
                String[] values = attribute.getValues();
                words.add(utf8(Integer.toString(values.length)));
                for (String value : values) {
                    words.add(utf8(value));
                }
            }
        }
        int length = words.stream()
                .mapToInt(word -> word.length + lengthBytes(word.length))
                .sum();
        ByteBuffer packed = ByteBuffer.allocate(length);
        for (byte[] word : words) {
            if (word.length < 255) {
                packed.put((byte) word.length);
            } else {
                packed.put((byte) 255).putInt(word.length);
            }
            packed.put(word);
        }
        return new PackedEntry(id, packed.array());
    }

    private static int lengthBytes(int length) {
        return length < 255 ? 1 : 1 + Integer.BYTES;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    ReadOnlyEntry entry() {
        ByteBuffer packed = ByteBuffer.wrap(bytes);
        String dn = word(packed);
        List<Attribute> attributes = new ArrayList<>();
        while (packed.hasRemaining()) {
            String name = word(packed);
            String[] values = new String[Integer.parseInt(word(packed))];
            for (int i = 0; i < values.length; i++) {
                values[i] = word(packed);
            }
            attributes.add(new Attribute(name, values));
        }
        attributes.add(new Attribute(ID, id.toString()));
        return new ReadOnlyEntry(dn, attributes);
    }

    private static String word(ByteBuffer packed) {
        int length = packed.get() & 0xff;
        if (length == 255) {
            length = packed.getInt();
        }
        String text = new String(packed.array(), packed.position(), length, StandardCharsets.UTF_8);
        packed.position(packed.position() + length);
        return text;
    }

    String dn() {
        return word(ByteBuffer.wrap(bytes));
    }

    /** Values in another order are the same. */
    boolean isSame(PackedEntry other, Entry unpacked) {
        return Arrays.equals(bytes, other.bytes) || unpacked.equals(other.entry());
    }
}
