package org.spillway.image.posix;

/**
 * The facts of one file, without following a link.
 *
 * @param mode type and permissions, as in {@code st_mode}
 * @param size in bytes
 * @param links names that this file has, in any folder
 * @param place where it lies
 * @param deviceMajor of a device's own number, as {@code deviceMinor}
 */
public record FileFacts(
        int mode,
        long uid,
        long gid,
        long size,
        long links,
        Place place,
        Times times,
        long deviceMajor,
        long deviceMinor) {
    private static final int TYPE = 0170000;

    /**
     * A file's place.
     *
     * @param mount of one machine; another one for whatever is mounted below
     */
    public record Place(long mount, long device, long inode) {}

    /** Nanoseconds since 1970. */
    public record Times(long modified, long changed) {}

    /** The type alone, as in {@code st_mode}. */
    public int type() {
        return mode & TYPE;
    }

    /** Permissions with setuid, setgid and sticky. */
    public int permissions() {
        return mode & 07777;
    }
}
