package org.spillway.head.link;

/** There will be no such session: the node will not have it, or the job is not there any more. */
public final class SessionRefused extends Exception {
    private static final long serialVersionUID = 1;

    SessionRefused(String why) {
        super(why, null, false, false);
    }
}
