package org.spillway.stage;

/**
 * The length and digest that a file must have.
 *
 * @param bytes length, 0 or more
 * @param sha256 64 lower-case hex digits
 */
public record Checksum(long bytes, String sha256) {
    public Checksum {
        if (bytes < 0 || !sha256.matches("[0-9a-f]{64}")) {
            throw new IllegalArgumentException("not a checksum: " + bytes + " bytes, '" + sha256 + "'");
        }
    }
}
