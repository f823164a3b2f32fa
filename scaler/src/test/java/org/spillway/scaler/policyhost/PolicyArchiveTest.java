package org.spillway.scaler.policyhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PolicyArchiveTest {
    private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

    @TempDir
    private Path folder;

    private static PolicyArchive.Version version(String text) {
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        return new PolicyArchive.Version("Night.java", PolicyFiles.digest(content), content);
    }

    @Test
    void whatIsKeptIsFoundByItsDigestUnderItsName() throws IOException {
        PolicyArchive archive = new PolicyArchive(folder.resolve("policies"));
        PolicyArchive.Version one = version("one");
        assertThat(archive.find(one.digest())).isEmpty();
        archive.keep(one, Set.of(), NOON);
        archive.keep(one, Set.of(), NOON);
        PolicyArchive.Version found = archive.find(one.digest()).orElseThrow();
        assertThat(found.file()).isEqualTo("Night.java");
        assertThat(found.content()).isEqualTo(one.content());
        assertThat(archive.find("")).isEmpty();
        assertThat(archive.find("../x")).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("policies"))))
                .isEqualTo("rwx------");
    }

    @Test
    void theOldestGoButNotWhatIsInUse() throws IOException {
        PolicyArchive archive = new PolicyArchive(folder, 2);
        PolicyArchive.Version used = version("used");
        PolicyArchive.Version old = version("old");
        archive.keep(used, Set.of(used.digest()), NOON);
        archive.keep(old, Set.of(used.digest()), NOON.plusSeconds(1));
        archive.keep(version("new"), Set.of(used.digest()), NOON.plusSeconds(2));
        assertThat(archive.find(old.digest())).isEmpty();
        assertThat(archive.find(used.digest())).isPresent();
        assertThat(archive.find(version("new").digest())).isPresent();
        // A version that is kept again is new again.
        archive.keep(used, Set.of(), NOON.plusSeconds(3));
        archive.keep(version("newest"), Set.of(), NOON.plusSeconds(4));
        assertThat(archive.find(version("new").digest())).isEmpty();
        assertThat(archive.find(used.digest())).isPresent();
    }

    @Test
    void whatWasChangedSinceIsNotUsed() throws IOException {
        PolicyArchive archive = new PolicyArchive(folder);
        PolicyArchive.Version one = version("one");
        archive.keep(one, Set.of(), NOON);
        Optional<Path> file;
        try (Stream<Path> all = Files.list(folder)) {
            file = all.findFirst();
        }
        Files.writeString(file.orElseThrow(), "another");
        assertThatThrownBy(() -> archive.find(one.digest())).hasMessageContaining("was changed since it was kept");
    }
}
