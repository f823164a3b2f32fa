package org.spillway.director.directory;

/**
 * Who may read.
 *
 * @param anonymousRead whether search and compare need no bind. Content synchronisation always needs one.
 * @param binds decides simple binds; never asked with an empty password
 */
public record DirectoryAccess(boolean anonymousRead, BindCheck binds) {
    /** Everybody who reaches the port may search, nobody may bind. */
    public static final DirectoryAccess ANONYMOUS_READ = new DirectoryAccess(true, (dn, password) -> false);

    /** Must compare in constant time; must not log the password. */
    @FunctionalInterface
    public interface BindCheck {
        boolean allows(String dn, byte[] password);
    }
}
