package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The folder that administrators drop policies into. What anybody else could have written is not read. */
final class PolicyFiles {
    private static final int MOST_FILES = 50;
    private static final int MOST_SOURCE_BYTES = 1 << 20;
    private static final int MOST_JAR_BYTES = 8 << 20;

    private final Path folder;
    private final int uid;

    /** @param uid of the head's user */
    PolicyFiles(Path folder, int uid) {
        this.folder = folder;
        this.uid = uid;
    }

    /** Traits that tell that a file is another than before. */
    record Look(long bytes, long modifiedMillis, Object key) {}

    /** Files that would be policies, by name; none where there is no folder. At most {@value #MOST_FILES}. */
    Map<String, Look> look() {
        Map<String, Look> looks = new TreeMap<>();
        if (!Files.isDirectory(folder)) {
            return looks;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(PolicyFiles::isPolicy)
                    .sorted()
                    .limit(MOST_FILES)
                    .toList()) {
                looks.put(file.getFileName().toString(), look(file));
            }
        } catch (IOException gone) {
            // Looked at again soon.
        }
        return looks;
    }

    static boolean isPolicy(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,99}\\.(java|jar)");
    }

    /** @throws NotTaken if a file of this name is none of a policy */
    static void requireName(Path file) throws NotTaken {
        if (!isPolicy(file)) {
            throw new NotTaken(
                    String.valueOf(file.getFileName()),
                    "a policy's file ends with .java or .jar, and is named in letters, digits, dots and dashes");
        }
    }

    private static Look look(Path file) {
        try {
            PosixFileAttributes found =
                    Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            Object rights = found.permissions() + "/" + found.owner().getName() + "/" + found.fileKey();
            return new Look(found.size(), found.lastModifiedTime().toMillis(), rights);
        } catch (IOException gone) {
            return new Look(-1, 0, "");
        }
    }

    /** @throws NotTaken with a sentence when it may not or cannot be read */
    byte[] read(String name) throws NotTaken {
        try {
            refuseOthers(name, folder, "the folder " + folder);
            refuseOthers(name, folder.resolve(name), "it");
            return content(folder.resolve(name));
        } catch (IOException unreadable) {
            throw new NotTaken(name, "it cannot be read: " + unreadable.getMessage());
        }
    }

    /** @throws NotTaken if it is too large */
    static byte[] content(Path file) throws IOException, NotTaken {
        String name = String.valueOf(file.getFileName());
        int most = name.endsWith(".java") ? MOST_SOURCE_BYTES : MOST_JAR_BYTES;
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(most + 1);
            if (content.length > most) {
                throw new NotTaken(name, "it is larger than " + most + " bytes");
            }
            return content;
        }
    }

    private void refuseOthers(String name, Path path, String what) throws IOException, NotTaken {
        PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (found.isSymbolicLink() || found.isOther()) {
            throw new NotTaken(name, what + " is no plain file or folder; copy it there instead of linking to it");
        }
        int owner = (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (owner != 0 && owner != uid) {
            throw new NotTaken(
                    name,
                    what + " belongs to " + found.owner().getName()
                            + "; allowed: root or the user that the head runs as (chown)");
        }
        if (found.permissions().contains(PosixFilePermission.OTHERS_WRITE)
                || found.permissions().contains(PosixFilePermission.GROUP_WRITE)) {
            throw new NotTaken(
                    name, what + " can be written by others than its owner; allowed: mode 755 or less (chmod go-w)");
        }
    }

    /** SHA-256 in hexadecimal. */
    static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
