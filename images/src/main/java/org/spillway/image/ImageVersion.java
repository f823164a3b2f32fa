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

    /**
     * The text that the head signs for a version of a root file system: {@code spillway-tree-1\nNAME\nSHA256\nBYTES\n}. Its first
     * line keeps a manifest from being taken for an archive.
     *
     * @param name of the image, {@code [a-z0-9-]{1,64}}
     * @param manifest of the tree's manifest as a text
     */
    public static String signedTree(String name, Checksum manifest) {
        checkName(name);
        return "spillway-tree-1\n" + name + "\n" + manifest.sha256() + "\n" + manifest.bytes() + "\n";
    }

    /**
     * The text that the head signs for a version's file system: {@code spillway-root-1\nNAME\nVERSION\nSHA256\nBYTES\nVERITY
     * DATA\n}. So a file is that version's, and no other's.
     *
     * @param name of the image, {@code [a-z0-9-]{1,64}}
     * @param version the manifest's digest
     * @param whole of the file
     * @param verity root hash of its dm-verity tree, which begins at byte {@code data}; {@code -} for none
     */
    public static String signedRoot(String name, String version, Checksum whole, String verity, long data) {
        checkName(name);
        return "spillway-root-1\n" + name + "\n" + version + "\n" + whole.sha256() + "\n" + whole.bytes() + "\n"
                + verity + " " + data + "\n";
    }

    static void checkName(String name) {
        if (!name.matches("[a-z0-9-]{1,64}")) {
            throw new IllegalArgumentException(
                    "not a name of an image: '" + name.replaceAll("\\p{Cntrl}", "?") + "' (allowed: a-z, 0-9, '-')");
        }
    }
}
