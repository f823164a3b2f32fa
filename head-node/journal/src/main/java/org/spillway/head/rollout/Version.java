package org.spillway.head.rollout;

/**
 * A version of a root file system.
 *
 * @param image its name
 * @param digest of its manifest, by which nodes attest it; empty for none
 */
public record Version(String image, String digest) {
    public static final Version NONE = new Version("", "");

    public boolean isNone() {
        return digest.isEmpty();
    }

    /** As the image store names it. */
    public String text() {
        return isNone() ? "" : image + "@" + digest;
    }

    /** The same for a person, who tells versions apart by their first digits. */
    public String brief() {
        return isNone() ? "no version" : image + "@" + digest.substring(0, Math.min(12, digest.length()));
    }
}
