package org.spillway.stage.store;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** A SHA-256, as four numbers: small enough for a table of a million. */
public record Digest(long a, long b, long c, long d) {
    /** Length in bytes. */
    public static final int BYTES = 32;

    /** The next {@value #BYTES} bytes. */
    public static Digest from(ByteBuffer bytes) {
        return new Digest(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }

    /** Of {@value #BYTES} bytes. */
    public static Digest of(byte[] bytes) {
        return from(ByteBuffer.wrap(bytes));
    }

    public void to(ByteBuffer bytes) {
        bytes.putLong(a).putLong(b).putLong(c).putLong(d);
    }

    /** Enough to ask whether something is there; no proof that it is. */
    public long prefix() {
        return a;
    }

    /** 64 lower-case hex digits. */
    public String hex() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(a) + hex.toHexDigits(b) + hex.toHexDigits(c) + hex.toHexDigits(d);
    }

    /** @throws IllegalArgumentException unless it is 64 hex digits */
    public static Digest ofHex(String hex) {
        if (hex.length() != 2 * BYTES) {
            throw new IllegalArgumentException("not a digest: " + hex.length() + " characters");
        }
        return of(HexFormat.of().parseHex(hex));
    }
}
