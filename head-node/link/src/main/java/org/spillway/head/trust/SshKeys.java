package org.spillway.head.trust;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.util.Map;
import org.apache.sshd.common.NamedResource;
import org.apache.sshd.common.config.keys.FilePasswordProvider;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.PublicKeyEntryResolver;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyEncryptionContext;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.util.security.SecurityUtils;

/** SSH keys in OpenSSH's own text form, which sshd, cloud-init and MINA all read. ECDSA P-256, as the JDK has it. */
final class SshKeys {
    private SshKeys() {}

    static String newPrivateKey(String comment) throws IOException {
        var text = new ByteArrayOutputStream();
        try {
            OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(
                    Certificates.newKeys(), comment, (OpenSSHKeyEncryptionContext) null, text);
        } catch (GeneralSecurityException e) {
            throw new IOException("an SSH key could not be made");
        }
        String pem = text.toString(StandardCharsets.US_ASCII);
        return pem.endsWith("\n") ? pem : pem + "\n";
    }

    static KeyPair parse(String pem) throws IOException {
        try {
            var found = SecurityUtils.loadKeyPairIdentities(
                            null,
                            NamedResource.ofName("secret"),
                            new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)),
                            FilePasswordProvider.EMPTY)
                    .iterator();
            if (found.hasNext()) {
                return found.next();
            }
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            // The cause may quote the key.
            throw new IOException("an SSH key among the secrets is damaged");
        }
        throw new IOException("an SSH key among the secrets is empty");
    }

    /** @throws IOException if it is not a line as in {@code authorized_keys} */
    static PublicKey parsePublic(String line) throws IOException {
        try {
            return PublicKeyEntry.parsePublicKeyEntry(line.strip())
                    .resolvePublicKey(null, Map.of(), PublicKeyEntryResolver.FAILING);
        } catch (GeneralSecurityException | RuntimeException e) {
            throw new IOException("not an SSH public key in one line, such as 'ecdsa-sha2-nistp256 AAAA...'", e);
        }
    }

    /** The key as a line of {@code authorized_keys}, without comment. */
    static String publicLine(PublicKey key) {
        return PublicKeyEntry.toString(key);
    }
}
