package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.BackupOrder;
import org.spillway.api.BackupView;
import org.spillway.head.config.BackupSettings;
import org.spillway.head.journal.JournalCheck;
import org.spillway.head.journal.SqliteJournalStore;

/** Backups of a journal that is open, by order and by the clock. */
final class BackupDeskTest {
    private static final Instant START = Instant.parse("2026-11-23T01:00:00Z");

    @TempDir
    Path folder;

    private Path state = Path.of("");
    private Path copies = Path.of("");
    private @Nullable SqliteJournalStore store;
    private volatile Instant now = START;

    @BeforeEach
    void open() {
        state = folder.resolve("state");
        copies = folder.resolve("copies");
        store = SqliteJournalStore.open(state, false, START);
    }

    @AfterEach
    void close() {
        Objects.requireNonNull(store).close();
    }

    private BackupDesk desk(@Nullable BackupSettings settings) {
        return new BackupDesk(state, Optional.ofNullable(settings), ZoneOffset.UTC, () -> now);
    }

    private static BackupView ended(BackupDesk desk) {
        await().until(() -> !desk.latest().getFirst().isRunning());
        return desk.latest().getFirst();
    }

    private List<String> names() throws IOException {
        try (var inside = Files.list(copies)) {
            return inside.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void anOrderedBackupCanBeReadAndASecondDoesNotReplaceIt() throws Exception {
        Path file = folder.resolve("copy.db");
        try (BackupDesk desk = desk(null)) {
            assertThat(desk.begin(new BackupOrder(file.toString(), false)).scheduled())
                    .isFalse();
            assertThat(ended(desk).state()).isEqualTo("DONE");
            assertThat(JournalCheck.of(file, rows -> {}).isWhole()).isTrue();
            desk.begin(new BackupOrder(file.toString(), false));
            assertThat(ended(desk).message()).contains("is there already");
            desk.begin(new BackupOrder(file.toString(), true));
            assertThat(ended(desk).state()).isEqualTo("DONE");
            desk.keep();
            assertThat(desk.latest()).hasSize(3);
        }
    }

    @Test
    void copiesAreMadeAtTheirTimesAndOldOnesGo() throws Exception {
        BackupSettings nightly = new BackupSettings(copies, null, "0 30 2 ? * *", 2);
        for (int night = 0; night < 4; night++) {
            // A new head each night: the names remember.
            try (BackupDesk desk = desk(nightly)) {
                desk.keep();
                assertThat(ended(desk).state()).isEqualTo("DONE");
                desk.keep();
                assertThat(desk.latest()).hasSize(1);
            }
            now = START.plus(Duration.ofDays(night)).plus(Duration.ofMinutes(91));
        }
        assertThat(names()).containsExactly("journal-20261124T023100Z.db", "journal-20261125T023100Z.db");
        Files.writeString(copies.resolve("journal-mine.db"), "mine");
        assertThat(new BackupSettings(copies, Duration.ofHours(6), null, 2).next(START, ZoneOffset.UTC))
                .isEqualTo(START.plus(Duration.ofHours(6)));
    }

    @Test
    void aFailureIsTriedAgainAfterAWhile() throws Exception {
        BackupSettings often = new BackupSettings(copies, Duration.ofMinutes(1), null, 2);
        Files.writeString(copies, "no folder");
        try (BackupDesk desk = desk(often)) {
            desk.keep();
            assertThat(desk.latest()).isEmpty();
            Files.delete(copies);
            desk.keep();
            assertThat(desk.latest()).isEmpty();
            now = START.plus(Duration.ofMinutes(6));
            desk.keep();
            assertThat(ended(desk).state()).isEqualTo("DONE");
        }
    }

    @Test
    void whoeverWantsTwoAtATimeIsRefused() {
        BackupDesk desk = desk(null);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 50; i++) {
                        desk.begin(new BackupOrder(folder.resolve("copy" + i).toString(), false));
                    }
                })
                .hasMessageContaining("is being made");
        ended(desk);
    }
}
