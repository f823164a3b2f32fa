package org.spillway.stage;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Makes {@link Checksum}s from bytes. */
public final class Sha256 {
    private static final int BUFFER_BYTES = 256 * 1024;

    private Sha256() {}

    /** A fresh SHA-256 digest. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Reads {@code in} to its end, copying to {@code sink}. @return the checksum of all that was read */
    public static Checksum of(InputStream in, OutputStream sink) throws IOException {
        MessageDigest digest = digest();
        byte[] buffer = new byte[BUFFER_BYTES];
        long bytes = 0;
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            digest.update(buffer, 0, n);
            sink.write(buffer, 0, n);
            bytes += n;
        }
        return checksum(bytes, digest);
    }

    /** Ends {@code digest}, which was given {@code bytes} bytes. */
    public static Checksum checksum(long bytes, MessageDigest digest) {
        return new Checksum(bytes, HexFormat.of().formatHex(digest.digest()));
    }
}
