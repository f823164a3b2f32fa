package org.spillway.head.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.config.BackupSettings;

final class BackupLookTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

    @TempDir
    Path folder;

    private Finding look(Instant now) {
        BackupSettings settings = new BackupSettings(folder, Duration.ofHours(6), null, 7);
        return BackupLook.at(settings, ZoneOffset.UTC, now).getFirst();
    }

    @Test
    void aCopyThatIsOverdueIsWarnedOf() throws IOException {
        assertThat(look(NOW).verdict()).isEqualTo(Verdict.WARNING);
        Files.writeString(folder.resolve("journal-20261123T110000Z.db"), "");
        assertThat(look(NOW).verdict()).isEqualTo(Verdict.GOOD);
        assertThat(look(NOW.plus(Duration.ofHours(6))).verdict()).isEqualTo(Verdict.WARNING);
        assertThat(look(NOW).detail()).contains("2026-11-23T11:00:00Z");
    }
}
