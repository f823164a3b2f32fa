package org.spillway.stage.pull;

/** Why a file did not come. */
public enum PullFault {
    /** The server wants other credentials, or none will do: another try would be refused as well. */
    REFUSED(true),
    ABSENT(true),
    /** An answer that means nothing here. */
    STATUS(true),
    /** An address that inputs may not come from. */
    ADDRESS(true),
    REDIRECTS(true),
    /** A redirect to something else than https. */
    DOWNGRADED(true),
    /** Nothing says where the file ends. */
    NO_LENGTH(true),
    TOO_MUCH(true),
    /** Another SHA-256 than its user wrote down. */
    DIGEST(true),
    /** The server shows a certificate that nobody here trusts, or none. */
    UNTRUSTED(true),
    MALFORMED(true),
    /** Another file at each look. */
    CHANGING(false),
    UNREACHABLE(false),
    /** Cut again and again. */
    BROKEN(false),
    /** The server wants to be left alone for a while. */
    BUSY(false),
    SERVER(false),
    NO_ROOM(false),
    /** The region's own disk failed. */
    DISK(false);

    private final boolean lasting;

    PullFault(boolean lasting) {
        this.lasting = lasting;
    }

    /** Whether another try is of no use before somebody has mended something. */
    public boolean isLasting() {
        return lasting;
    }
}
