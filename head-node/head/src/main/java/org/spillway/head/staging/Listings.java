package org.spillway.head.staging;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.spillway.stage.worker.UserFiles.Packed;

/** Whether two lists of files are the same, by a digest that may be kept. */
final class Listings {
    private Listings() {}

    /** Of where they are, their names in a bundle, sizes, times and whether they can be executed; SHA-256 in hexadecimal. */
    static String digest(List<Packed> files) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Packed file : files) {
                // No path holds a NUL.
                String line = file.path() + "\0" + file.name() + "\0" + file.bytes() + "\0" + file.modifiedNanos()
                        + "\0" + file.executable() + "\0";
                digest.update(line.getBytes(StandardCharsets.UTF_8));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
