package org.spillway.slurm.setup;

import java.nio.charset.StandardCharsets;

/** Files as texts and back without losing a byte, whatever letters they are written with. */
final class Texts {
    private Texts() {}

    static String of(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** For people: comments may be in UTF-8. */
    static String shown(String text) {
        return new String(bytes(text), StandardCharsets.UTF_8).replaceAll("[\\p{Cc}&&[^\\n\\t]]", "?");
    }
}
