package org.spillway.slurm.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each reason has one meaning, the documentation says the same, and a site may move them. */
final class PendingReasonsTest {
    /** A row of the table: the class, a bar, and reasons in backquotes. */
    private static final Pattern ROW = Pattern.compile("\\| `(scale|scale-without-nodes|staging|never)` \\|(.*)\\|");

    private static final Pattern WORD = Pattern.compile("`([A-Za-z]+)`");

    /** The names in the library of 22.05.8, in which {@code job_reason_string} finds them. */
    @Test
    void everyReasonOfSlurmIsInTheTable() throws IOException {
        try (var in = PendingReasonsTest.class.getResourceAsStream("22.05/reasons.txt")) {
            var words = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8).lines();
            assertThat(PendingReasons.table()).containsKeys(words.toArray(String[]::new));
        }
    }

    @Test
    void theDocumentationHasTheSameTable() throws IOException {
        var written = new TreeMap<String, String>();
        for (String line : Files.readAllLines(Path.of("..", "..", "docs", "slurm.md"))) {
            var row = ROW.matcher(line);
            if (row.matches()) {
                WORD.matcher(row.group(2)).results().forEach(word -> written.put(word.group(1), row.group(1)));
            }
        }
        var table = new TreeMap<String, String>();
        PendingReasons.table().forEach((word, meaning) -> table.put(word, meaning.word()));
        table.keySet().removeIf(PendingReasonsTest::isALimit);
        assertThat(written).isEqualTo(table);
    }

    /** Too many to name: the documentation has a row for all of them. */
    private static boolean isALimit(String word) {
        return word.matches("(Assoc|QOS|Max).*") && PendingReasons.STANDARD.of(word) == PendingReason.NEVER;
    }

    @Test
    void aReasonIsMovedWhateverItsCaseAndWhatStandsBehindIt() {
        var moved = new PendingReasons(Map.of("ReqNodeNotAvail", PendingReason.NEVER));
        for (String said :
                List.of("ReqNodeNotAvail, Reserved for maintenance", "reqnodenotavail(Unavailable:w[1-4])")) {
            assertThat(PendingReasons.STANDARD.of(said)).isEqualTo(PendingReason.SCALES);
            assertThat(moved.of(said)).isEqualTo(PendingReason.NEVER);
        }
        assertThat(moved.of("Resources")).isEqualTo(PendingReason.SCALES);
        assertThat(moved.of("Resources".toUpperCase(Locale.ROOT))).isEqualTo(PendingReason.SCALES);
    }
}
