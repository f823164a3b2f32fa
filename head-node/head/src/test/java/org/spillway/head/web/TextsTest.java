package org.spillway.head.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.policy.Money;

final class TextsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0.0 s",
        "950, 0.9 s",
        "59999, 59.9 s",
        "60000, 1 min 00 s",
        "3725000, 1 h 02 min",
        "90000000, 1 d 01 h"
    })
    void lengthsOfTime(long millis, String text) {
        assertThat(Texts.duration(Duration.ofMillis(millis))).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1536, 1.5 KiB", "125829120, 120 MiB", "9223372036854775807, 8.0 EiB"})
    void sizes(long bytes, String text) {
        assertThat(Texts.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0.00", "0.5, 0.50", "0.000049, 0.0000", "0.0123, 0.0123", "12.345678, 12.35", "-3.5, -3.50"})
    void amounts(String amount, String text) {
        assertThat(Texts.money(Money.parse(amount))).isEqualTo(text);
    }

    @ParameterizedTest
    @EnumSource(JobState.class)
    void everyJobStateHasAToneAndAColourInTheBar(JobState state) throws IOException {
        var css = css();
        assertThat(css).contains(".badge." + Texts.tone(state).replace("calm", "good"));
        if (!state.isTerminal()) {
            assertThat(css).contains(".phase." + state + " {");
        }
    }

    @ParameterizedTest
    @EnumSource(NodeState.class)
    void everyNodeStateHasATone(NodeState state) throws IOException {
        assertThat(css()).contains(".badge." + Texts.tone(state).replace("calm", "good"));
    }

    private static String css() throws IOException {
        return resource("assets/spillway.css");
    }

    private static String resource(String name) throws IOException {
        try (var in = Texts.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    /** The output of a template is escaped unless it says {@code raw} or turns escaping off. */
    @Test
    void noTemplateLeavesAnythingUnescaped() throws IOException {
        var folder = Path.of("src/main/resources/org/spillway/head/web/templates");
        try (var files = Files.list(folder)) {
            var templates = files.toList();
            assertThat(templates).hasSizeGreaterThan(10);
            for (var template : templates) {
                assertThat(Files.readString(template))
                        .as(template.toString())
                        .doesNotContainPattern("\\|\\s*raw")
                        .doesNotContain("autoescape")
                        .doesNotContain("style=")
                        .doesNotContainPattern("\\son[a-z]+=");
            }
        }
    }
}
