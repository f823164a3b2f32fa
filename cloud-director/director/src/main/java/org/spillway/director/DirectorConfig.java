package org.spillway.director;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/**
 * A director's configuration, told when it starts; a JSON object of exactly these fields, in a file of mode 600 or 400.
 *
 * @param site name of the site; directives for another are refused
 * @param listenAddress numeric address that nodes reach
 * @param httpsPort 0 for any free port
 * @param ldapsPort 0 for any free port
 * @param baseDn of the replica
 * @param stateDirectory created with mode 700 when absent
 * @param serverKey PEM file, PKCS#8, mode 600
 * @param serverCertificate PEM file
 * @param siteCertificate PEM file of the site CA: signs the server's, the nodes' and the head's certificates
 * @param headSubject common name of the only certificate that may call {@code /v1/sync}
 */
public record DirectorConfig(
        String site,
        String listenAddress,
        int httpsPort,
        int ldapsPort,
        String baseDn,
        Path stateDirectory,
        Path serverKey,
        Path serverCertificate,
        Path siteCertificate,
        String headSubject) {
    private static final int MAX_BYTES = 64 * 1024;

    public DirectorConfig {
        require(!site.isBlank(), "site: must not be empty");
        require(listenAddress.matches("[0-9a-fA-F.:]+"), "listenAddress: must be a numeric address");
        require(httpsPort >= 0 && httpsPort <= 65535, "httpsPort: must be 0 to 65535");
        require(ldapsPort >= 0 && ldapsPort <= 65535, "ldapsPort: must be 0 to 65535");
        require(!baseDn.isBlank(), "baseDn: must not be empty");
        require(!headSubject.isBlank(), "headSubject: must not be empty");
        require(!headSubject.startsWith(NodeSide.SUBJECT_PREFIX), "headSubject: must not look like a node's");
    }

    /**
     * Reads a configuration.
     *
     * @throws IOException if it cannot be read, others may read or write it, or a field is wrong; the message names it
     */
    public static DirectorConfig load(Path file) throws IOException {
        refuseOpenFile(file);
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException(file + ": over " + MAX_BYTES + " bytes");
        }
        try {
            DirectorConfig config = WireJson.read(Files.readAllBytes(file), DirectorConfig.class);
            refuseOpenFile(config.serverKey());
            return config;
        } catch (WireJson.Malformed e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private static void refuseOpenFile(Path file) throws IOException {
        Set<PosixFilePermission> open = EnumSet.copyOf(Files.getPosixFilePermissions(file));
        open.removeAll(EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
        if (!open.isEmpty()) {
            throw new IOException(file + ": must have mode 600");
        }
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
