package org.spillway.cloud.azure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.LaunchOutcome.Reason;

/** The key that a machine's first account must have: the site's, or nobody's. */
final class SshKey {
    private SshKey() {}

    static String read(AzureSettings settings, LaunchRequest request) throws CloudException {
        Path file = settings.sshPublicKey();
        if (file == null) {
            return MachineBody.nobodysKey(request.token());
        }
        try {
            String key = Files.readString(file).strip();
            if (key.matches("(ssh-ed25519|ssh-rsa) [A-Za-z0-9+/=]+( [^\\r\\n]*)?")) {
                return key;
            }
            throw new CloudException(
                    Reason.INVALID, "sshPublicKeyFile " + file + " is no ssh-ed25519 or ssh-rsa public key");
        } catch (IOException unreadable) {
            throw new CloudException(Reason.INVALID, "sshPublicKeyFile " + file + " cannot be read");
        }
    }
}
