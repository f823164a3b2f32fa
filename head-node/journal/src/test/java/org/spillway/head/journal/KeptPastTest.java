package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.fleet.Intent;
import org.spillway.head.past.StateIdFile;

/** A journal beside {@code secrets/state-id}, by the files that heads have left. */
final class KeptPastTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

    @TempDir
    Path folder;

    private Path state = Path.of("");

    @BeforeEach
    void place() {
        state = folder.resolve("state");
    }

    private SqliteJournalStore open() {
        return SqliteJournalStore.open(state, false, NOW);
    }

    private Path journal() {
        return state.resolve("journal.db");
    }

    private Path copy() throws IOException {
        return Files.copy(journal(), folder.resolve("copy.db"), StandardCopyOption.REPLACE_EXISTING);
    }

    private void restore() throws IOException {
        Files.copy(folder.resolve("copy.db"), journal(), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void aNewStateHasAnIdentityOfMode600() throws IOException {
        try (SqliteJournalStore store = open()) {
            assertThat(store.standing().quarantined()).isFalse();
            assertThat(store.standing().tag()).matches("[0-9a-f]{12}\\.1\\.[0-9a-f]{8}");
            Path file = new StateIdFile(state).path();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        try (SqliteJournalStore again = open()) {
            assertThat(again.standing().known()).hasSize(2);
            assertThat(again.standing().quarantined()).isFalse();
        }
    }

    @Test
    void anEmptyOrMissingJournalBesideOldSecretsIsRefusedAndNothingIsChanged() throws IOException {
        open().close();
        Files.write(journal(), new byte[0]);
        assertThatThrownBy(this::open)
                .isInstanceOf(JournalFailure.class)
                .hasMessageContaining("is empty or missing")
                .hasMessageContaining("instances may be running")
                .hasMessageContaining("--new-epoch");
        assertThat(Files.size(journal())).isZero();
        Files.delete(journal());
        assertThatThrownBy(this::open).hasMessageContaining("is empty or missing");
        assertThat(journal()).doesNotExist();
    }

    @Test
    void anEmptyJournalBesideSecretsOfAnEarlierReleaseIsRefused() throws IOException {
        Files.createDirectories(state.resolve("secrets"));
        Files.writeString(state.resolve("secrets/authority.pem"), "a certificate");
        assertThatThrownBy(this::open).hasMessageContaining("is empty or missing");
        assertThat(journal()).doesNotExist();
        assertThat(new StateIdFile(state).path()).doesNotExist();
    }

    @Test
    void anOlderJournalStartsInQuarantineAndNoNumberIsGivenTwice() throws IOException {
        long before;
        try (SqliteJournalStore store = open()) {
            store.nextSequence();
        }
        copy();
        String first;
        try (SqliteJournalStore store = open()) {
            before = store.nextSequence();
            first = store.standing().tag();
        }
        restore();
        try (SqliteJournalStore store = open()) {
            assertThat(store.standing().quarantined()).isTrue();
            assertThat(store.standing().tag()).contains(".2.");
            assertThat(store.standing().isStrange(first)).isTrue();
            assertThat(store.nextSequence()).isGreaterThan(before);
        }
        try (SqliteJournalStore store = open()) {
            assertThat(store.standing().quarantined()).as("it lasts").isTrue();
            store.release();
            assertThat(store.standing().quarantined()).isFalse();
        }
        try (SqliteJournalStore store = open()) {
            assertThat(store.standing().quarantined()).isFalse();
        }
    }

    /** Copied and put back within one run of a head, which gave no number in between. */
    @Test
    void anIntentThatACopyLacksIsMissed() throws IOException {
        try (SqliteJournalStore store = open()) {
            store.nextSequence();
            try (var disk = DriverManager.getConnection("jdbc:sqlite:" + journal());
                    var statement = disk.createStatement()) {
                statement.executeUpdate("VACUUM INTO '" + folder.resolve("copy.db") + "'");
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
            store.write(NOW, List.of(Entries.intent("i1", Intent.State.CALLED)), List.of());
        }
        restore();
        try (SqliteJournalStore store = open()) {
            assertThat(store.standing().quarantined()).isTrue();
        }
    }

    @Test
    void aJournalOfAnotherStateIsRefused() throws IOException {
        open().close();
        Path other = folder.resolve("other");
        SqliteJournalStore.open(other, false, NOW).close();
        Files.copy(other.resolve("journal.db"), journal(), StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(this::open).hasMessageContaining("belongs to another state");
        assertThatThrownBy(() -> SqliteJournalStore.open(state, true, NOW)).hasMessageContaining("another state");
    }

    @Test
    void aNewEpochGoesOnFromAnEmptyJournal() throws IOException {
        long before;
        try (SqliteJournalStore store = open()) {
            before = store.nextSequence();
        }
        Files.write(journal(), new byte[0]);
        try (SqliteJournalStore store = SqliteJournalStore.open(state, true, NOW)) {
            assertThat(store.standing().quarantined()).isTrue();
            assertThat(store.nextSequence()).isGreaterThan(before);
        }
        try (SqliteJournalStore store = open()) {
            assertThat(store.standing().quarantined()).isTrue();
        }
    }

    @Test
    void aDamagedMarkIsSaidByItsPath() throws IOException {
        open().close();
        Files.writeString(new StateIdFile(state).path(), "identity=abc\n");
        assertThatThrownBy(this::open).hasMessageContaining("state-id is damaged");
    }
}
