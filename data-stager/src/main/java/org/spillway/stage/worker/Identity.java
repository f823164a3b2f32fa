package org.spillway.stage.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Whom a worker acts for.
 *
 * @param user for messages only; the kernel knows numbers
 * @param uid 0 or more
 * @param gid 0 or more
 * @param groups supplementary groups, at most {@value #GROUPS_MAX}
 */
public record Identity(String user, int uid, int gid, List<Integer> groups) {
    /** The kernel's own limit is 65536; no directory service hands out nearly as many. */
    public static final int GROUPS_MAX = 4096;

    public Identity {
        groups = List.copyOf(groups);
        if (uid < 0 || gid < 0 || groups.size() > GROUPS_MAX || groups.stream().anyMatch(group -> group < 0)) {
            throw new IllegalArgumentException("not an identity: user '" + user + "', uid " + uid + ", gid " + gid
                    + ", " + groups.size() + " groups");
        }
    }

    /** The effective uid of this process. */
    public static int ownUid() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("Uid:")) {
                return Integer.parseUnsignedInt(line.split("\\s+", -1)[2]);
            }
        }
        throw new IOException("/proc/self/status does not tell the uid");
    }

    @Override
    public String toString() {
        return user + " (uid " + uid + ")";
    }
}
