package org.spillway.head.config;

import java.nio.file.Path;
import java.util.Optional;
import org.spillway.director.directory.DirectorySchema;

/** Where users come from. */
public sealed interface DirectorySetting {
    /** Smallest uid that may run jobs, 1 or more. */
    int minUid();

    /** This machine's name service. */
    record Nss(int minUid) implements DirectorySetting {}

    /** Two files in the form of passwd(5) and group(5). */
    record AccountFiles(Path passwd, Path group, int minUid) implements DirectorySetting {}

    /**
     * An LDAP server.
     *
     * @param url {@code ldap://} or {@code ldaps://}
     * @param schema how users and groups are written down there
     * @param bindDn empty for an anonymous bind; then there is no password file
     * @param passwordFile of mode 600 or 400
     * @param startTls only with {@code ldap://}
     * @param caFile PEM; empty for the system's authorities
     */
    record Ldap(
            String url,
            String base,
            DirectorySchema schema,
            String bindDn,
            Optional<Path> passwordFile,
            boolean startTls,
            Optional<Path> caFile,
            int minUid)
            implements DirectorySetting {}
}
