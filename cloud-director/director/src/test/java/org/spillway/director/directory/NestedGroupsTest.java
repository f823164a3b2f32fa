package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I5, against a real slapd of RFC 2307bis: members by name, groups in groups with a loop, memberUid beside, nobody's bind. */
final class NestedGroupsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void aRealServersGroupsAreWhatItsOwnNameServiceWouldSay() throws Exception {
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/sbin/slapd")) && Files.isExecutable(Path.of("/usr/bin/ldapadd")),
                "slapd is not installed: apt-get install slapd ldap-utils");
        int port = freePort();
        var endpoint = new LdapEndpoint(
                "127.0.0.1", port, LdapEndpoint.Security.PLAIN, Optional.empty(), "dc=lab", "", () -> "");
        var store = new DirectoryStore("dc=cluster");
        lab("ldap-up.sh", Integer.toString(port), "rfc2307bis");
        try (var source =
                new PagedSource(endpoint, DirectorySchema.RFC2307BIS, Duration.ofMillis(200), InstantSource.system())) {
            source.start(store);
            assertThat(store.await(DirectoryStore::complete, PATIENCE))
                    .as(source.trouble())
                    .isTrue();
            assertThat(source.trouble()).isEmpty();
            assertThat(store.user("alice"))
                    .contains(new PosixUser("alice", 20_001, 20_000, "", "/home/alice", "/bin/bash"));
            assertThat(store.members("outer")).containsExactly("alice", "bob", "dave");
            assertThat(store.members("unique")).containsExactly("bob");
            assertThat(store.groupsOf("bob")).extracting(PosixGroup::name).contains("outer", "unique", "science");

            admin("ldapmodify", """
                    dn: cn=unique,ou=group,dc=lab
                    changetype: modify
                    replace: uniqueMember
                    uniqueMember: uid=alice,ou=people,dc=lab
                    """, port);
            assertThat(store.await(here -> here.members("unique").equals(List.of("alice")), PATIENCE))
                    .isTrue();
            admin("ldapdelete", "uid=bob,ou=people,dc=lab\n", port);
            assertThat(store.await(here -> here.user("bob").isEmpty(), PATIENCE))
                    .isTrue();

            lab("ldap-down.sh");
            assertThat(People.eventually(() -> !source.trouble().isEmpty())).isTrue();
            assertThat(store.user("alice")).as("known while the server is away").isPresent();
        } finally {
            lab("ldap-down.sh");
        }
    }

    private void admin(String program, String input, int port) throws Exception {
        Path file = Files.writeString(directory.resolve("input"), input);
        String password = directory.resolve("admin.password").toString();
        run(new ProcessBuilder(program, "-x", "-H", "ldap://127.0.0.1:" + port, "-D", "cn=admin,dc=lab", "-y", password)
                .redirectInput(file.toFile()));
    }

    private void lab(String script, String... arguments) throws Exception {
        Path scripts = Path.of("..", "..", "labs", "ldap").toAbsolutePath().normalize();
        Stream<String> command = Stream.of(scripts.resolve(script).toString(), directory.toString());
        run(new ProcessBuilder(Stream.concat(command, Stream.of(arguments)).toList()));
    }

    private void run(ProcessBuilder builder) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
