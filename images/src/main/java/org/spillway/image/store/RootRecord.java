package org.spillway.image.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.spillway.image.ImageRefused;
import org.spillway.image.ImageVersion;
import org.spillway.stage.Checksum;

/**
 * A version as one read-only file system.
 *
 * @param name of the image
 * @param version its manifest's SHA-256
 * @param file an erofs, with the tree of its hashes behind it where there is one
 * @param whole of the file
 * @param verity root hash of dm-verity, 64 hex digits; {@code -} for none
 * @param data bytes of the file system, at which the tree of hashes begins
 * @param signature over {@link ImageVersion#signedRoot}, base64
 */
public record RootRecord(
        String name, String version, Path file, Checksum whole, String verity, long data, String signature) {
    /** No tree of hashes. */
    public static final String NO_VERITY = "-";

    private static final String HEAD = "spillway-root-facts-1";

    String signedText() {
        return ImageVersion.signedRoot(name, version, whole, verity, data);
    }

    byte[] text() {
        return String.join(
                        "\n",
                        HEAD,
                        whole.sha256(),
                        Long.toString(whole.bytes()),
                        verity,
                        Long.toString(data),
                        signature,
                        "")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** @throws ImageRefused if it is anything else than {@link #text} of such a version */
    static RootRecord parse(String text, VersionRecord version, Path file) throws ImageRefused {
        String[] lines = text.split("\n", -1);
        try {
            if (lines.length == 7 && lines[0].equals(HEAD)) {
                var whole = new Checksum(Long.parseLong(lines[2]), lines[1]);
                return new RootRecord(
                        version.name(), version.digest(), file, whole, lines[3], Long.parseLong(lines[4]), lines[5]);
            }
        } catch (IllegalArgumentException malformed) {
            throw new ImageRefused(file + " has facts that are none: " + malformed.getMessage());
        }
        throw new ImageRefused(file + " has facts that are none");
    }
}
