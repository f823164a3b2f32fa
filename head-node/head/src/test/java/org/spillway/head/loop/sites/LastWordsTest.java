package org.spillway.head.loop.sites;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class LastWordsTest {
    @Test
    void theLastLinesAreKeptAsOne() {
        String log = IntStream.range(0, 100).mapToObj(i -> "line " + i).collect(Collectors.joining("\r\n"));
        assertThat(LastWords.of(log)).startsWith("line 92 | ").endsWith(" | line 99");
        assertThat(LastWords.of("")).isEmpty();
        assertThat(LastWords.of("x".repeat(5000))).hasSizeLessThan(310);
    }

    @Test
    void nothingOfThemMovesATerminal() {
        assertThat(LastWords.of("\u001b[31mred\u001b[0m\u0007 text\u202e")).isEqualTo("red   text");
    }

    @Test
    void secretsAreNotKept() {
        String console = """
                cloud-init: writing files
                -----BEGIN OPENSSH PRIVATE KEY-----
                b3BlbnNzaC1rZXktdjEAAAAABG5vbmU=
                -----END OPENSSH PRIVATE KEY-----
                token=hunter2 password: correct
                Authorization: Bearer abc
                join 4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c failed
                """;
        assertThat(LastWords.of(console))
                .doesNotContain("b3Blb", "hunter2", "correct", "4f9a8b7c", " abc")
                .contains("cloud-init: writing files", "failed");
        assertThat(LastWords.of("-----BEGIN RSA PRIVATE KEY-----\nabcdef"))
                .as("cut before its end")
                .isEqualTo("***");
        assertThat(LastWords.of("/var/lib/spillway/director/lib/spillway-director.jar: no such file"))
                .contains("/var/lib/spillway/director/lib/spillway-director.jar");
    }
}
