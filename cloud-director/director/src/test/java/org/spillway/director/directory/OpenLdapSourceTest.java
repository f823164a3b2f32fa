package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.director.directory.People.PATIENCE;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole way with a real OpenLDAP: slapd, LdapSource, HomeDirectory, a link, DirectoryReplica. */
class OpenLdapSourceTest {
    private static final Backoff QUICK = new Backoff(Duration.ofMillis(20), Duration.ofMillis(200));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @SuppressWarnings("NullAway.Init")
    private HomeDirectory home;

    @SuppressWarnings("NullAway.Init")
    private CuttableProxy link;

    @SuppressWarnings("NullAway.Init")
    private DirectoryReplica replica;

    private boolean started;
    private int port;

    @BeforeEach
    void start() throws Exception {
        Assumptions.assumeTrue(
                Stream.of("/usr/sbin/slapd", "/usr/local/sbin/slapd")
                                .anyMatch(name -> Files.isExecutable(Path.of(name)))
                        && Files.isExecutable(Path.of("/usr/bin/ldapadd")),
                "slapd is not installed: apt-get install slapd ldap-utils");
        port = freePort();
        started = true;
        lab("ldap-up.sh", Integer.toString(port));
        // The region sees the site's dc=lab under the name that the head gives it.
        home = new HomeDirectory(
                "dc=cluster",
                new LdapSource(endpoint(), ContentSyncConsumer.DEFAULT_FILTER, QUICK),
                site -> Optional.of("secret of " + site),
                SavedDirectory.in(directory.resolve("saved"), ""));
        link = new CuttableProxy(new InetSocketAddress("127.0.0.1", home.port()));
        replica = new DirectoryReplica(
                new InetSocketAddress("127.0.0.1", 0), null, "dc=cluster", DirectoryAccess.ANONYMOUS_READ, QUICK);
        replica.follow(home.grant("west", link.port()));
    }

    @AfterEach
    void stop() throws Exception {
        if (!started) {
            return;
        }
        try {
            replica.close();
            link.close();
            home.close();
        } finally {
            lab("ldap-down.sh");
        }
    }

    @Test
    void whatHappensAtHomeHappensInTheRegion() throws Exception {
        assertThat(replica.awaitUser("alice", PATIENCE))
                .as("%s / %s", home.trouble(), replica.trouble())
                .contains(new PosixUser("alice", 20_001, 20_000, "", "/home/alice", "/bin/bash"));
        assertThat(replica.groupsOf("alice")).extracting(PosixGroup::name).containsExactly("science");

        long before = System.nanoTime();
        admin("ldapadd", person("bob", 20_002));
        assertThat(replica.awaitUser("bob", PATIENCE)).isPresent();
        System.out.printf(
                "directory: ldapadd at home to look-up in the region, with the start of ldapadd: %d ms%n",
                (System.nanoTime() - before) / 1_000_000);

        admin(
                "ldapmodify",
                "dn: uid=bob,ou=people,dc=lab\nchangetype: modify\nreplace: loginShell\nloginShell: /bin/sh\n");
        assertThat(arrives(there -> there.user("bob").map(PosixUser::loginShell).equals(Optional.of("/bin/sh"))))
                .isTrue();

        admin("ldapmodify", "dn: uid=bob,ou=people,dc=lab\nchangetype: modrdn\nnewrdn: uid=robert\ndeleteoldrdn: 1\n");
        assertThat(arrives(there ->
                        there.user("bob").isEmpty() && there.user("robert").isPresent()))
                .isTrue();

        admin("ldapdelete", "uid=robert,ou=people,dc=lab\n");
        assertThat(arrives(there -> there.user("robert").isEmpty())).isTrue();

        String wire = new String(link.seen(), StandardCharsets.ISO_8859_1);
        assertThat(wire).contains("uid=alice").doesNotContain("ForbiddenFruit", "userPassword");
    }

    @Test
    void aRestartOfTheServerIsSurvivedAndWhatWasMissedIsMadeUpFor() throws Exception {
        assertThat(replica.awaitUser("alice", PATIENCE)).isPresent();
        admin("ldapadd", person("bob", 20_002));
        assertThat(replica.awaitUser("bob", PATIENCE)).isPresent();

        lab("ldap-down.sh");
        assertThat(People.eventually(() -> !home.trouble().isEmpty())).isTrue();
        assertThat(replica.user("bob")).as("served while the source is away").isPresent();
        lab("ldap-up.sh", Integer.toString(port));
        assertThat(People.eventually(() -> home.trouble().isEmpty()))
                .as(home.trouble())
                .isTrue();
        assertThat(replica.user("alice")).isPresent();

        admin("ldapdelete", "uid=bob,ou=people,dc=lab\n");
        admin("ldapadd", person("carol", 20_003));
        assertThat(replica.awaitUser("carol", PATIENCE)).isPresent();
        assertThat(replica.user("bob")).isEmpty();
    }

    @Test
    void moreUsersThanAnyPageAndDeletesWhileTheHeadIsNotLooking() throws Exception {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 600; i++) {
            many.append(person("user" + i, 30_000 + i)).append('\n');
        }
        admin("ldapadd", many.toString());
        assertThat(replica.awaitUser("user599", PATIENCE)).isPresent();
        link.cut();
        admin("ldapdelete", "uid=user7,ou=people,dc=lab\n");
        assertThat(home.store().await(here -> here.user("user7").isEmpty(), PATIENCE))
                .isTrue();
        link.mend();

        assertThat(arrives(there -> there.user("user7").isEmpty())).isTrue();
        assertThat(replica.report().entries()).isEqualTo(home.store().size());
    }

    private boolean arrives(Predicate<DirectoryStore> condition) throws InterruptedException {
        return replica.store().await(condition, PATIENCE);
    }

    private LdapEndpoint endpoint() {
        return new LdapEndpoint(
                "127.0.0.1",
                port,
                LdapEndpoint.Security.PLAIN,
                Optional.empty(),
                "dc=lab",
                "cn=admin,dc=lab",
                LdapEndpoint.passwordFile(directory.resolve("admin.password")));
    }

    private static String person(String name, int uid) {
        return """
                dn: uid=%1$s,ou=people,dc=lab
                objectClass: account
                objectClass: posixAccount
                uid: %1$s
                cn: %1$s
                uidNumber: %2$d
                gidNumber: 20000
                homeDirectory: /home/%1$s
                userPassword: ForbiddenFruit
                """.formatted(name, uid);
    }

    private void admin(String program, String input) throws Exception {
        Path file = Files.writeString(directory.resolve("input"), input);
        List<String> command = List.of(
                program,
                "-x",
                "-H",
                "ldap://127.0.0.1:" + port,
                "-D",
                "cn=admin,dc=lab",
                "-y",
                directory.resolve("admin.password").toString());
        run(new ProcessBuilder(command).redirectInput(file.toFile()));
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
