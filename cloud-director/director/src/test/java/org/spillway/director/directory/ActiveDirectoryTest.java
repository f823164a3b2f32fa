package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I5, against a real Active Directory (Samba's): its attributes, nested groups, who may not work, and who is gone. */
@Tag("processes")
final class ActiveDirectoryTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String ADDRESS =
            "127.0.7." + (1 + ProcessHandle.current().pid() % 250);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void peopleAndGroupsAreThoseOfTheController() throws Exception {
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/sbin/samba"))
                        && Files.isExecutable(Path.of("/usr/bin/ldapsearch"))
                        && "root".equals(System.getProperty("user.name")),
                "no samba-ad-dc here, or not root");
        var store = new DirectoryStore("dc=cluster");
        try {
            lab("up.sh");
            var endpoint = new LdapEndpoint(
                    ADDRESS,
                    636,
                    LdapEndpoint.Security.LDAPS,
                    Optional.of(directory.resolve("ad/tls/ca.pem")),
                    "DC=lab,DC=internal",
                    "reader@lab.internal",
                    () -> "Lab-secret-1");
            try (var source =
                    new PagedSource(endpoint, DirectorySchema.AD, Duration.ofMillis(200), InstantSource.system())) {
                source.start(store);
                assertThat(store.await(DirectoryStore::complete, PATIENCE))
                        .as(source.trouble())
                        .isTrue();
                assertThat(store.user("alice"))
                        .contains(new PosixUser("alice", 20_001, 20_000, "", "/home/alice", "/bin/bash"));
                assertThat(store.groupsOf("dave"))
                        .extracting(PosixGroup::name)
                        .containsExactlyInAnyOrder("staff", "physics", "research");
                assertThat(store.members("research")).containsExactly("alice", "dave");
                assertThat(store.user("carol")).as("no POSIX attributes").isEmpty();
                assertThat(store.user("bob")).as("disabled").isEmpty();
                assertThat(store.user("erin")).as("expired").isEmpty();
                assertThat(source.refusal("bob")).isPresent();
                assertThat(source.refusal("erin")).isPresent();
                assertThat(store.users()).isEqualTo(2);

                lab("gone.py", "dave");
                assertThat(store.await(here -> here.user("dave").isEmpty(), PATIENCE))
                        .as("a deletion, which DirSync does not tell")
                        .isTrue();
                assertThat(store.members("research")).containsExactly("alice");
            }
        } finally {
            lab("down.sh");
        }
    }

    private void lab(String script, String... arguments) throws IOException, InterruptedException {
        Path scripts = Path.of("..", "..", "labs", "ad").toAbsolutePath().normalize();
        Path lab = directory.resolve("ad");
        Path output = directory.resolve("output");
        boolean python = script.endsWith(".py");
        var builder = python
                ? new ProcessBuilder(
                        "/usr/bin/python3",
                        scripts.resolve(script).toString(),
                        lab.resolve("dc/etc/smb.conf").toString(),
                        arguments[0])
                : new ProcessBuilder(scripts.resolve(script).toString());
        builder.environment().put("LAB_DIR", lab.toString());
        builder.environment().put("AD_ADDRESS", ADDRESS);
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    }
}
