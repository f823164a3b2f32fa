package org.spillway.cloud.azure;

import java.nio.file.Path;

/** As whom the driver calls. Secrets stay in their files until they are sent. */
sealed interface Login {
    /** @param clientId of a user-assigned identity; empty for the machine's own */
    record ManagedIdentity(String clientId) implements Login {}

    record ClientSecret(String tenant, String clientId, Path file) implements Login {}

    /** @param file PEM with certificate and private key */
    record Certificate(String tenant, String clientId, Path file) implements Login {}
}
