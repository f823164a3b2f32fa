package org.spillway.head.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.director.directory.DirectorySchema;
import org.spillway.director.directory.FileSource;
import org.spillway.director.directory.LdapEndpoint;
import org.spillway.director.directory.LdapSource;
import org.spillway.director.directory.PagedSource;
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

    /** A server that took longer than the look was told as broken, while heads worked with it. */
    @Test
    void aServerThatAnswersLateIsSlowAndNotBroken() throws Exception {
        var config = new InMemoryDirectoryServerConfig("dc=example,dc=org");
        config.setSchema(null);
        config.setListenerConfigs(
                InMemoryListenerConfig.createLDAPConfig("plain", InetAddress.getLoopbackAddress(), 0, null));
        config.addInMemoryOperationInterceptor(new InMemoryOperationInterceptor() {
            @Override
            public void processSearchRequest(InMemoryInterceptedSearchRequest asked) {
                try {
                    Thread.sleep(Duration.ofSeconds(3));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        var server = new InMemoryDirectoryServer(config);
        server.add("dn: dc=example,dc=org", "objectClass: domain", "dc: example");
        server.add(
                "dn: uid=ann,dc=example,dc=org",
                "objectClass: posixAccount",
                "uid: ann",
                "uidNumber: 7001",
                "gidNumber: 7000",
                "homeDirectory: /home/ann");
        server.startListening();
        try {
            var endpoint = new LdapEndpoint(
                    "127.0.0.1",
                    server.getListenPort(),
                    LdapEndpoint.Security.PLAIN,
                    Optional.empty(),
                    "dc=example,dc=org",
                    "",
                    () -> "");
            var findings = DirectoryLook.at(
                    new PagedSource(
                            endpoint, DirectorySchema.RFC2307BIS, PagedSource.USUAL_PAUSE, InstantSource.system()),
                    SavedDirectory.in(folder.resolve("none"), ""),
                    Duration.ofSeconds(2));
            assertThat(findings).extracting(Finding::verdict).containsExactly(Verdict.GOOD, Verdict.WARNING);
            assertThat(findings.getLast().detail())
                    .isEqualTo("it answers slowly: it was read whole after more than 2 s");
        } finally {
            server.shutDown(true);
        }
    }
}
