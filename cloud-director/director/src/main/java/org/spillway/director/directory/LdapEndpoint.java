package org.spillway.director.directory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;

/**
 * An LDAP server that can be copied.
 *
 * @param port 1 to 65535
 * @param caFile certificates (PEM) that the server's must lead to; empty for those that the Java runtime trusts
 * @param baseDn where there to look
 * @param bindDn whom to be there; empty for nobody, then no password is sent
 * @param password asked at each connection
 */
public record LdapEndpoint(
        String host,
        int port,
        Security security,
        Optional<Path> caFile,
        String baseDn,
        String bindDn,
        Password password) {
    private static final int LONGEST_PASSWORD_BYTES = 4_096;

    /** How the connection is protected. */
    public enum Security {
        /** Not at all; with a password for loopback (an SSH forward ends there) only. */
        PLAIN,
        START_TLS,
        LDAPS
    }

    /** Where a password comes from. Its text form must not show it. */
    @FunctionalInterface
    public interface Password {
        /** @throws IOException with a message that says what to repair, and does not hold the password */
        String read() throws IOException;
    }

    public LdapEndpoint {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("the LDAP port must be 1 to 65535, not " + port);
        }
        DirectoryStore.dn(baseDn);
        if (security == Security.PLAIN && !isLoopback(host) && !bindDn.isEmpty()) {
            throw new IllegalArgumentException(
                    "plain LDAP would send the password to " + host + " in the clear: use starttls or ldaps");
        }
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.equals("::1") || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
    }

    /** The first line of a file that only its owner may read. */
    public static Password passwordFile(Path file) {
        return () -> {
            for (PosixFilePermission permission : Files.getPosixFilePermissions(file)) {
                if (!permission.name().startsWith("OWNER_")) {
                    throw new IOException(file + " may be used by others than its owner: chmod 600 " + file);
                }
            }
            if (Files.size(file) > LONGEST_PASSWORD_BYTES) {
                throw new IOException(file + " is too large for a password");
            }
            return Files.readString(file, StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElseThrow(() -> new IOException(file + " is empty"));
        };
    }

    /** Without the password. */
    @Override
    public String toString() {
        return security + " " + host + ":" + port + " " + baseDn + " as " + (bindDn.isEmpty() ? "nobody" : bindDn);
    }
}
