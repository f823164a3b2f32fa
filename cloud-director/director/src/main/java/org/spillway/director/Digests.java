package org.spillway.director;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.spillway.stage.Sha256;

/** SHA-256 of texts. */
final class Digests {
    private Digests() {}

    /** 64 lower-case hex digits. */
    static String hex(String text) {
        return HexFormat.of().formatHex(Sha256.digest().digest(utf8(text)));
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
