package org.spillway.head.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.spillway.settings.Section;

/** A file with a secret in it: there, readable by us, and by nobody else. */
public final class SecretFile {
    private static final Set<PosixFilePermission> OWNER_ONLY =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private SecretFile() {}

    /** Notes a mistake at that key unless the file is so. */
    public static void check(Section section, String key, Path path) {
        try {
            if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
                section.mistake(
                        key, "found '" + path + "', which is not a file that can be read; allowed: an existing file");
            } else if (!OWNER_ONLY.containsAll(Files.getPosixFilePermissions(path))) {
                section.mistake(key, "found '" + path + "', which others may read; allowed: mode 600 (chmod 600)");
            }
        } catch (IOException unreadable) {
            section.mistake(key, "found '" + path + "', whose mode cannot be read: " + unreadable);
        }
    }
}
