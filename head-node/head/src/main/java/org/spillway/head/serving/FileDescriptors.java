package org.spillway.head.serving;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/** The part of this process's file descriptors that peers may take: the journal, links and workers need theirs. */
public final class FileDescriptors {
    private static final int LEAST = 32;
    private static final int MOST = 512;
    /** The limit of most systems. */
    private static final int USUAL = 1024;

    private FileDescriptors() {}

    /** An eighth of what the system allows, 32 to 512. */
    public static int share() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? share(system.getMaxFileDescriptorCount())
                : LEAST;
    }

    /** The warning of too low a limit; empty for a usual one. */
    public static Optional<String> warning() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? warning(system.getMaxFileDescriptorCount())
                : Optional.empty();
    }

    static Optional<String> warning(long allowed) {
        return allowed >= USUAL
                ? Optional.empty()
                : Optional.of(
                        "this process may have " + allowed + " files open: enough for a few users and sites; raise the"
                                + " limit of the head's service to " + USUAL + " or more (LimitNOFILE, ulimit -n)");
    }

    static int share(long allowed) {
        return (int) Math.clamp(allowed / 8, LEAST, MOST);
    }
}
