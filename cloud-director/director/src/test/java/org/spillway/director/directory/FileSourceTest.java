package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileSourceTest {
    private static final String ALICE = "alice:x:20001:20001:Alice:/home/alice:/bin/sh\n";
    private static final String GROUPS = "# of the cluster\n\nalice:x:20001:\ngpu:x:30000:alice,nobody\n";

    @TempDir
    Path folder;

    private final DirectoryStore store = new DirectoryStore(People.BASE);
    private Path passwd = Path.of("");
    private Path group = Path.of("");

    @BeforeEach
    void write() throws IOException {
        passwd = Files.writeString(folder.resolve("passwd"), ALICE);
        group = Files.writeString(folder.resolve("group"), GROUPS);
    }

    private void replace(Path file, String text) throws IOException {
        Path fresh = Files.writeString(folder.resolve("fresh"), text);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void aChangedFileIsReadAndAMalformedOneChangesNothing() throws Exception {
        try (FileSource source = new FileSource(passwd, group, 1000, "root")) {
            source.start(store);
            assertThat(store.await(DirectoryStore::complete, People.PATIENCE)).isTrue();
            assertThat(store.user("alice"))
                    .contains(new PosixUser("alice", 20001, 20001, "Alice", "/home/alice", "/bin/sh"));
            assertThat(store.groupsOf("alice")).extracting(PosixGroup::name).containsExactlyInAnyOrder("alice", "gpu");
            assertThat(store.user(20001)).map(PosixUser::name).contains("alice");

            replace(passwd, ALICE + "bob:x:20002\n");
            assertThat(People.eventually(() -> source.trouble().startsWith(passwd + ":2: found 3 fields")))
                    .as(source.trouble())
                    .isTrue();
            assertThat(store.user("alice")).isPresent();

            replace(passwd, "bob:x:20002:20001::/home/bob:\n");
            assertThat(store.await(
                            here -> here.user("bob").isPresent()
                                    && here.user("alice").isEmpty(),
                            People.PATIENCE))
                    .isTrue();
            assertThat(People.eventually(() -> source.trouble().isEmpty())).isTrue();

            Files.delete(group);
            assertThat(People.eventually(() -> source.trouble().equals(group + ": there is no such file")))
                    .isTrue();
            assertThat(store.user("bob")).isPresent();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "a:x:1001:1001::/home/a|found 6 fields",
                "a:x:-1:1001::/home/a:/bin/sh|found the ids '-1' and '1001'",
                "a:x:1001:4294967295::/home/a:/bin/sh|found the ids",
                "a:x:1001:1001::home:/bin/sh|found the home 'home'",
                "a b:x:1001:1001::/home/a:/bin/sh|found the name 'a b'",
                "alice:x:1:1::/home/a:/bin/sh|'alice' is in line 1 already",
            })
    void aMalformedUserIsTold(String line, String message) throws IOException {
        Files.writeString(passwd, ALICE + line + "\n");
        assertThatThrownBy(() -> FileSource.check(passwd, group))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(passwd + ":2: " + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {"gpu:x:30000|found 3 fields", "gpu:x:many:|found the id 'many'", ":x:1:|found the name ''"})
    void aMalformedGroupIsTold(String line, String message) throws IOException {
        Files.writeString(group, "\n" + line + "\n");
        assertThatThrownBy(() -> FileSource.check(passwd, group)).hasMessageStartingWith(group + ":2: " + message);
    }

    @Test
    void systemAccountsAreLeftOutButForTheHeadsOwn() throws Exception {
        Files.writeString(passwd, ALICE + "root:x:0:0::/root:/bin/sh\nbin:x:2:2::/bin:/bin/sh\n");
        try (FileSource source = new FileSource(passwd, group, 1000, "root")) {
            source.start(store);
            assertThat(store.await(DirectoryStore::complete, People.PATIENCE)).isTrue();
            assertThat(store.user("root")).isPresent();
            assertThat(store.user("bin")).isEmpty();
        }
    }
}
