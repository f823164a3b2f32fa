package org.spillway.head.config;

import java.util.regex.Pattern;

/** Places on nodes where other files may be put than the image has there. */
public final class NodeFolders {
    /** For messages. */
    public static final String ALLOWED = "absolute, of letters, digits and ._-, and none of the system's own";

    private static final Pattern PLAIN = Pattern.compile("(?=.{2,100}$)(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+");

    /** An image's own, the folders that each job has for itself, and the agent's, which are below /var. */
    private static final Pattern NEVER =
            Pattern.compile("/(bin|boot|dev|etc|lib|lib32|lib64|libx32|proc|root|run|sbin|sys|tmp|usr|var)(/.*)?");

    private NodeFolders() {}

    /** @param path of up to 100 characters, no part of which begins with a dot */
    public static boolean allows(String path) {
        return PLAIN.matcher(path).matches() && !NEVER.matcher(path).matches();
    }
}
