package org.spillway.head.rest;

/**
 * Who asks, as the kernel says (SO_PEERCRED): never taken from a request's body or headers.
 *
 * @param user login name, or the decimal uid where the name service knows no name
 * @param uid 0 or more
 * @param gid the user's primary group here, or {@link #NO_GID}; a job's is the directory's
 * @param admin root, or the user that the head itself runs as: sees and may cancel every job, and may stop the head
 */
public record Caller(String user, int uid, int gid, boolean admin) {
    /** The name service of this machine does not know the user: no number is put in its place. */
    public static final int NO_GID = -1;
}
