package org.spillway.image.store;

/** Extended attributes that are part of a tree. */
final class Attributes {
    private Attributes() {}

    /**
     * Capabilities, access lists, and those of users and administrators. Labels of SELinux and Smack are given by each
     * machine's own policy, a seal of EVM by its own key, and an overlay's notes are about its layers.
     */
    static boolean isPart(String name) {
        return name.equals("security.capability")
                || name.equals("system.posix_acl_access")
                || name.equals("system.posix_acl_default")
                || name.startsWith("user.")
                || (name.startsWith("trusted.") && !name.startsWith("trusted.overlay."));
    }
}
