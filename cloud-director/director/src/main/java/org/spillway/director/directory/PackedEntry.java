package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.ReadOnlyEntry;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An entry in a small part of the memory that its object takes: name, attributes and values as UTF-8 behind their lengths,
 * and a byte for what most have. The entryUUID is the id. Immutable.
 */
final class PackedEntry {
    private static final String ID = "entryUUID";
    private static final int ROOM = 256;
    /** Words that most entries have are a byte each, from this one on; shorter lengths are below it. */
    private static final int FIRST_CODE = 200;
    /** Before a length of four bytes. */
    private static final int LONG = 255;

    private static final List<String> KNOWN = Stream.concat(
                    EntryWhitelist.ATTRIBUTES.stream(),
                    Stream.of(
                            "top",
                            "account",
                            "person",
                            "organizationalPerson",
                            "inetOrgPerson",
                            "posixAccount",
                            "posixGroup",
                            "1",
                            "2",
                            "3",
                            "4",
                            "/bin/sh",
                            "/bin/bash",
                            "/usr/bin/bash",
                            "/bin/zsh",
                            "/bin/tcsh",
                            "/bin/false",
                            "/sbin/nologin",
                            "/usr/sbin/nologin"))
            .toList();
    private static final Map<String, Integer> CODES = KNOWN.stream()
            .collect(Collectors.toUnmodifiableMap(word -> word, word -> FIRST_CODE + KNOWN.indexOf(word)));

    private final UUID id;
    private final byte[] bytes;

    private PackedEntry(UUID id, byte[] bytes) {
        this.id = id;
        this.bytes = bytes;
    }

    static PackedEntry of(UUID id, Entry entry) {
        var packed = new ByteArrayOutputStream(ROOM);
        put(packed, entry.getDN());
        for (Attribute attribute : entry.getAttributes()) {
            if (!attribute.getName().equals(ID)) {
                put(packed, attribute.getName());
                String[] values = attribute.getValues();
                put(packed, Integer.toString(values.length));
                for (String value : values) {
                    put(packed, value);
                }
            }
        }
        return new PackedEntry(id, packed.toByteArray());
    }

    private static void put(ByteArrayOutputStream packed, String word) {
        Integer code = CODES.get(word);
        if (code != null) {
            packed.write(code);
            return;
        }
        byte[] text = word.getBytes(StandardCharsets.UTF_8);
        if (text.length < FIRST_CODE) {
            packed.write(text.length);
        } else {
            packed.write(LONG);
            packed.writeBytes(
                    ByteBuffer.allocate(Integer.BYTES).putInt(text.length).array());
        }
        packed.writeBytes(text);
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
        if (length == LONG) {
            length = packed.getInt();
        } else if (length >= FIRST_CODE) {
            return KNOWN.get(length - FIRST_CODE);
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
