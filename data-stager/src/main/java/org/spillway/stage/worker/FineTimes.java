package org.spillway.stage.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Whether two changes of a file that are a tick of this machine's clock apart have two times. So it is on this machine's own
 * disks, where the kernel makes the times; not with a server's clock, nor where times are counted by the second.
 */
final class FineTimes {
    private static final Set<String> OWN = Set.of("ext4", "xfs", "btrfs", "tmpfs", "f2fs", "zfs", "bcachefs");
    private static final long MILLISECOND_NANOS = 1_000_000;

    private final Map<Long, Boolean> own = new HashMap<>();

    /** @param device on which the file is */
    boolean are(Path file, long device, long changedNanos) {
        // Where times are coarse, all end in zeros; a fine one that does so by chance only counts as coarse.
        return changedNanos % MILLISECOND_NANOS != 0 && own.computeIfAbsent(device, one -> isOwn(file));
    }

    private static boolean isOwn(Path file) {
        try {
            return OWN.contains(Files.getFileStore(file).type());
        } catch (IOException gone) {
            return false;
        }
    }
}
