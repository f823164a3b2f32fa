package org.spillway.head.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.head.rollout.DriftTerms.Policy;
import org.spillway.head.rollout.DriftWord.Kind;

/** Whatever a node says of its root is read, and only a difference that it has found drains it. */
final class DriftWordTest {
    private static final int SEEDS = Boolean.getBoolean("spillway.seeds.every") ? 8000 : 2000;
    private static final List<String> PARTS = List.of(
            "same",
            "differs",
            "repairing",
            "unrepaired",
            "unknown",
            "repaired",
            " ",
            "  ",
            "-",
            "1",
            "17",
            "/",
            "/usr/bin/a:b",
            ": ",
            "why",
            "\\x0a",
            "\u001b[2J",
            "9".repeat(30),
            "/x".repeat(300),
            "");

    @Test
    void aWordIsReadAsItIsSaid() {
        assertThat(DriftWord.parse("same - ")).isEqualTo(new DriftWord(Kind.SAME, 0, "", 0, ""));
        assertThat(DriftWord.parse("same 1764320400 repaired 1764320000 2 /opt/a"))
                .isEqualTo(new DriftWord(Kind.SAME, 2, "/opt/a", 1_764_320_400, ""));
        assertThat(DriftWord.parse("differs 3 /var/lib/dpkg/info/libc6:amd64.list"))
                .isEqualTo(new DriftWord(Kind.DIFFERS, 3, "/var/lib/dpkg/info/libc6:amd64.list", 0, ""));
        assertThat(DriftWord.parse("unrepaired 1 /a:b: not fetched"))
                .isEqualTo(new DriftWord(Kind.UNREPAIRED, 1, "/a:b", 0, "not fetched"));
        assertThat(DriftWord.parse("repairing 1 /").kind()).isEqualTo(Kind.REPAIRING);
        assertThat(DriftWord.parse("unknown the manifest is not here"))
                .isEqualTo(new DriftWord(Kind.UNKNOWN, 0, "", 0, "the manifest is not here"));
        assertThat(DriftWord.NONE.text()).isEmpty();
        assertThat(DriftWord.parse("same 1764320400 ").text())
                .isEqualTo("all of it was the same by 2025-11-28T09:00:00Z");
        assertThat(DriftWord.parse("differs 3 /opt/a").text()).isEqualTo("3 files, the first /opt/a");
        assertThat(DriftWord.parse("unrepaired 1 /opt/a: not fetched").text())
                .isEqualTo("not repaired: 1 file, /opt/a: not fetched");
    }

    @Test
    void onlyWhatIsSaidToDifferDrains() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(7); i >= 0; i--) {
                text.append(PARTS.get(random.nextInt(PARTS.size()))).append(random.nextBoolean() ? " " : "");
            }
            DriftWord word = DriftWord.parse(text.toString());
            String as = "seed " + seed + ": " + text;
            assertThat(word.kind()).as(as).isNotEqualTo(Kind.NONE);
            assertThat(word.kind() == Kind.UNKNOWN || word.count() >= 0).as(as).isTrue();
            assertThat(word.drains(Policy.REPORT)).as(as).isFalse();
            for (Policy policy : Policy.values()) {
                if (word.drains(policy)) {
                    assertThat(word.kind()).as(as).isIn(Kind.DIFFERS, Kind.UNREPAIRED);
                    assertThat(word.path()).as(as).startsWith("/");
                    assertThat(text.toString())
                            .as(as)
                            .startsWith(word.kind() == Kind.DIFFERS ? "differs " : "unrepaired ");
                }
            }
            assertThat(word.text()).as(as).isNotEmpty();
        }
    }
}
