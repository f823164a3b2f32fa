package org.spillway.head.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.director.directory.FileSource;
import org.spillway.director.directory.LdapEndpoint;
import org.spillway.director.directory.LdapSource;
import org.spillway.director.directory.SavedDirectory;

/** I6: doctor approved of everything while LDAP was away. */
final class DirectoryLookTest {
    @TempDir
    Path folder;

    private FileSource accounts(String passwd) throws IOException {
        return new FileSource(
                Files.writeString(folder.resolve("passwd"), passwd),
                Files.writeString(folder.resolve("group"), "staff:x:7000:\n"),
                1000,
                "nobody-here");
    }

    @Test
    void aServerThatIsAwayIsBroken() throws Exception {
        var endpoint = new LdapEndpoint(
                "127.0.0.1",
                1,
                LdapEndpoint.Security.PLAIN,
                Optional.empty(),
                "dc=lab",
                "cn=head,dc=lab",
                () -> "secret");
        var findings = DirectoryLook.at(
                new LdapSource(endpoint), SavedDirectory.in(folder.resolve("none"), ""), Duration.ofSeconds(2));
        assertThat(findings).extracting(Finding::verdict).containsExactly(Verdict.BROKEN);
        assertThat(findings.getFirst().detail()).contains("users and groups cannot be read");
    }

    @Test
    void usersAreCountedAndThoseWhoCannotBeToldApartAreNamed() throws Exception {
        var findings = DirectoryLook.at(
                accounts("ann:x:7001:7000::/home/ann:/bin/sh\nbob:x:7002:7000::/home/bob:/bin/sh\n"
                        + "rob:x:7002:7000::/home/rob:/bin/sh\n"),
                SavedDirectory.in(folder.resolve("none"), ""),
                DirectoryLook.PATIENCE);
        assertThat(findings).extracting(Finding::verdict).containsExactly(Verdict.GOOD, Verdict.WARNING);
        assertThat(findings.getFirst().detail()).isEqualTo("3 users can be read");
        assertThat(findings.getLast().detail()).contains("uid=bob,").contains("uid=rob,");
    }

    @Test
    void aDirectoryWithoutUsersIsTold() throws Exception {
        var findings = DirectoryLook.at(
                accounts("root:x:0:0::/root:/bin/sh\n"),
                SavedDirectory.in(folder.resolve("none"), ""),
                Duration.ofSeconds(3));
        assertThat(findings).extracting(Finding::verdict).containsExactly(Verdict.WARNING);
    }
}
