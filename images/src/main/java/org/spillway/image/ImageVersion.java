package org.spillway.image;

import java.nio.charset.StandardCharsets;
import org.spillway.stage.Checksum;

/** An unchanging version of an image: its name, and its archive, which is equal for equal trees on every machine. */
public final class ImageVersion {
    private ImageVersion() {}

    /**
     * The text that the head signs: exactly {@code spillway-image-1\nNAME\nSHA256\nBYTES\n}, which a node's shell can write, too.
     *
     * @param name of the image, {@code [a-z0-9-]{1,64}}
     */
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
