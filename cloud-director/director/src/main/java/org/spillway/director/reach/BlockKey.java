package org.spillway.director.reach;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.spillway.stage.Sha256;

/**
 * A block of a file.
 *
 * @param owner whose it is
 * @param identity of the file, as {@link org.spillway.stage.reach.Entry#identity} tells it
 * @param index of the block in the file
 */
record BlockKey(String owner, String identity, long index) {
    /** Hex digits, by which nobody else's, no other state's and no other place is known, nor those of a release with other blocks. */
    String name() {
        MessageDigest digest = Sha256.digest();
        digest.update(
                (owner + "\0" + identity + "\0" + LargeFiles.BLOCK + "\0" + index).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest.digest());
    }
}
