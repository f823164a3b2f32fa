package org.spillway.image;

import java.nio.charset.StandardCharsets;
import org.spillway.stage.Checksum;

/**
 * An unchanging version of an image.
 *
 * @param name of the image, {@code [a-z0-9-]{1,64}}
 * @param archive of the canonical tar: equal trees give equal archives on every machine
 * @param signature the head's ECDSA P-256 signature (DER, base64) over {@link #signedText}
 */
public record ImageVersion(String name, Checksum archive, String signature) {
    public ImageVersion {
        checkName(name);
    }

    /** Exactly {@code spillway-image-1\nNAME\nSHA256\nBYTES\n}: a shell can make it, too. */
    public static byte[] signedText(String name, Checksum archive) {
        checkName(name);
        return ("spillway-image-1\n" + name + "\n" + archive.sha256() + "\n" + archive.bytes() + "\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    static void checkName(String name) {
        if (!name.matches("[a-z0-9-]{1,64}")) {
            throw new IllegalArgumentException(
                    "not a name of an image: '" + name.replaceAll("\\p{Cntrl}", "?") + "' (allowed: a-z, 0-9, '-')");
        }
    }
}
