package org.spillway.slurm.manager;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The cluster's munge key, read again when its file changes. Never logged. */
final class MungeKey {
    private static final Logger LOG = LoggerFactory.getLogger(MungeKey.class);
    /** munge's own bounds. */
    private static final int LEAST_BYTES = 32;

    private static final int MOST_BYTES = 1024;

    private final Path file;
    private volatile @Nullable String base64;
    private @Nullable FileTime read;

    MungeKey(Path file) {
        this.file = file;
        refresh();
    }

    /** Empty while there is no readable key. */
    Optional<String> base64() {
        return Optional.ofNullable(base64);
    }

    synchronized void refresh() {
        try {
            FileTime changed = Files.getLastModifiedTime(file);
            if (changed.equals(read)) {
                return;
            }
            byte[] bytes = Files.readAllBytes(file);
            if (bytes.length < LEAST_BYTES || bytes.length > MOST_BYTES) {
                throw new IOException("it has " + bytes.length + " bytes; allowed: 32 to 1024");
            }
            base64 = Base64.getEncoder().encodeToString(bytes);
            read = changed;
        } catch (IOException e) {
            // A key that cannot be read again is no reason to take the old one away from nodes.
            if (base64 == null || read != null) {
                LOG.warn("the munge key {} cannot be read: {}", file, e.toString());
            }
            read = null;
        }
    }
}
