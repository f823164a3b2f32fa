package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LdapEndpointTest {
    @Test
    void aPasswordIsReadFromAFileThatIsPrivate(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("password"), "s3cret\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> LdapEndpoint.passwordFile(file).read())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("chmod 600")
                .hasMessageNotContaining("s3cret");

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(LdapEndpoint.passwordFile(file).read()).isEqualTo("s3cret");
    }

    @Test
    void noPasswordGoesInTheClearToAnotherMachine() {
        assertThatThrownBy(() -> endpoint("ldap.example", LdapEndpoint.Security.PLAIN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("starttls or ldaps");
        assertThat(endpoint("ldap.example", LdapEndpoint.Security.START_TLS).toString())
                .doesNotContain("hunter2");
    }

    /** I5: the documents allow it, the endpoint did not. */
    @Test
    void whoeverIsNobodySendsNoPasswordAndMayAsk() {
        var nobody = new LdapEndpoint(
                "ldap.example", 389, LdapEndpoint.Security.PLAIN, Optional.empty(), "dc=lab", "", () -> {
                    throw new IOException("nobody has a password");
                });
        assertThat(nobody.toString()).contains("as nobody");
    }

    @Test
    void waitsGrowToTheirBoundAndDiffer() {
        Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
        Random random = new Random(7);
        for (int failures = 1; failures < 100; failures++) {
            long full = Math.min(5_000, 100L << Math.min(failures - 1, 20));
            assertThat(backoff.after(failures, random).toMillis()).isBetween(full / 2 - 1, full);
        }
        assertThat(backoff.after(50, random)).isNotEqualTo(backoff.after(50, random));
    }

    private static LdapEndpoint endpoint(String host, LdapEndpoint.Security security) {
        return new LdapEndpoint(host, 389, security, Optional.empty(), "dc=lab", "cn=x,dc=lab", () -> "hunter2");
    }
}
