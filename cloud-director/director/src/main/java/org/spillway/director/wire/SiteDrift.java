package org.spillway.director.wire;

/**
 * A director's words on a look at a node's root.
 *
 * @param word how far it is
 * @param done names that were compared so far; {@code all} that are to be, 0 before that is known
 * @param bytes that were read so far
 * @param version of the root that was looked at, by the node's word; empty before its end
 * @param text what differs, in lines of the node's; why nothing could be compared where it is {@link Word#UNKNOWN}; else empty
 */
public record SiteDrift(Word word, long done, long all, long bytes, String version, String text) {
    /** A look's progress. */
    public enum Word {
        /** Another look at this node is under way. */
        BUSY,
        ASKED,
        RUNNING,
        DONE,
        /** The node could not compare. */
        UNKNOWN,
        /** The node has said nothing for a minute. */
        SILENT
    }

    /** Of one of which nothing is known but that. */
    public static SiteDrift of(Word word) {
        return new SiteDrift(word, 0, 0, 0, "", "");
    }
}
