package org.spillway.head.serving;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The part of this process's file descriptors that peers may take: the journal, links and workers need theirs. */
public final class FileDescriptors {
    private static final int LEAST = 32;
    private static final int MOST = 512;

    private FileDescriptors() {}

    /** An eighth of what the system allows, 32 to 512. */
    public static int share() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? share(system.getMaxFileDescriptorCount())
                : LEAST;
    }

    static int share(long allowed) {
        return (int) Math.clamp(allowed / 8, LEAST, MOST);
    }
}
