package org.spillway.localcloud.ec2;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 in hex, and ids made of it. */
final class Digest {
    private static final int ID_DIGITS = 17;

    private Digest() {}

    static String hex(String text) {
        return hex(text.getBytes(StandardCharsets.UTF_8));
    }

    static String hex(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** An id in EC2's form that is the same for the same text. */
    static String id(String prefix, String text) {
        return prefix + "-" + hex(text).substring(0, ID_DIGITS);
    }
}
