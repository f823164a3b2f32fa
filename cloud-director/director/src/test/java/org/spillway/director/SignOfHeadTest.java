package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SignOfHeadTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    @TempDir
    Path state;

    @Test
    void changesWithTheHeadsWordOnceAMinute() throws Exception {
        var sign = new SignOfHead(state);
        assertThat(state.resolve("heard")).doesNotExist();
        sign.heard(NOW);
        sign.heard(NOW.plusSeconds(59));
        assertThat(state.resolve("heard")).hasContent("2026-11-21T12:00:00Z\n");
        sign.heard(NOW.plusSeconds(60));
        assertThat(state.resolve("heard")).hasContent("2026-11-21T12:01:00Z\n");
    }

    @Test
    void aDiskThatRefusesDoesNotCutTheHeadOff() throws Exception {
        var sign = new SignOfHead(state.resolve("absent"));
        sign.heard(NOW);
        Files.createDirectory(state.resolve("absent"));
        sign.heard(NOW.plusSeconds(1));
        assertThat(state.resolve("absent/heard")).exists();
    }
}
