package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.director.wire.SiteDrift;
import org.spillway.director.wire.SiteDrift.Word;

/** A look is asked for once, and what its node says of it is told to whoever asks again by the same name. */
final class DriftLooksTest {
    private static final Instant NOW = Instant.parse("2026-11-28T09:00:00Z");
    private static final String VERSION = "a".repeat(64);
    private static final int SEEDS = Boolean.getBoolean("spillway.seeds.every") ? 4000 : 1000;

    private final AtomicInteger changes = new AtomicInteger();
    private final DriftLooks looks = new DriftLooks(changes::incrementAndGet);

    private boolean said(String look, String text) {
        return looks.heard("n1", look, text.getBytes(StandardCharsets.ISO_8859_1), NOW);
    }

    @Test
    void aLookGoesFromItsQuestionToItsEnd() {
        assertThat(looks.line("n1")).isEmpty();
        assertThat(looks.ask("n1", "one", true, NOW).word()).isEqualTo(Word.ASKED);
        assertThat(changes).hasValue(1);
        assertThat(looks.line("n1")).isEqualTo("drift one\n");
        assertThat(looks.line("n2")).isEmpty();
        assertThat(looks.how("n1", "one")).isEqualTo("whole");
        assertThat(looks.how("n1", "two")).isEmpty();
        assertThat(said("one", "running 5 10 99\n")).isTrue();
        assertThat(looks.line("n1")).as("it has begun").isEmpty();
        assertThat(looks.ask("n1", "one", true, NOW)).isEqualTo(new SiteDrift(Word.RUNNING, 5, 10, 99, "", ""));
        assertThat(looks.ask("n1", "two", false, NOW).word()).isEqualTo(Word.BUSY);
        assertThat(said("two", "done " + VERSION + "\n")).isFalse();
        assertThat(said("one", "done " + VERSION + "\ngone opt/a\u001b\nseen 1 2 0\n"))
                .isTrue();
        assertThat(looks.ask("n1", "one", true, NOW))
                .isEqualTo(new SiteDrift(Word.DONE, 0, 0, 0, VERSION, "gone opt/a?\nseen 1 2 0\n"));
        assertThat(said("one", "running 1 1 1\n")).as("after its end").isFalse();
        assertThat(looks.ask("n1", "two", false, NOW).word()).isEqualTo(Word.ASKED);
        assertThat(looks.how("n1", "two")).isEqualTo("quick");
    }

    @Test
    void aNodeThatIsSilentIsToldAsThatAndHoldsNoOtherLookUp() {
        looks.ask("n1", "one", true, NOW);
        assertThat(looks.ask("n1", "one", true, NOW.plusSeconds(60)).word()).isEqualTo(Word.ASKED);
        assertThat(looks.ask("n1", "one", true, NOW.plusSeconds(61)).word()).isEqualTo(Word.SILENT);
        assertThat(looks.ask("n1", "two", true, NOW.plusSeconds(61)).word()).isEqualTo(Word.ASKED);
        assertThat(looks.line("n1")).isEqualTo("drift two\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "done", "done short\n", "running x y z", "running 1 2", "DONE " + "a", "more"})
    void whatCannotBeReadIsNoEndThatIsTheSame(String text) {
        looks.ask("n1", "one", true, NOW);
        assertThat(said("one", text)).isTrue();
        assertThat(looks.ask("n1", "one", true, NOW).word()).isEqualTo(Word.UNKNOWN);
        assertThat(looks.ask("n1", "one", true, NOW).text()).isEqualTo("its answer cannot be read");
    }

    @Test
    void whateverIsAskedAndSaidThereIsOneLookOfANodeAndAnEndedOneStaysAsItEnded() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            Random random = new Random(seed);
            DriftLooks all = new DriftLooks(() -> {});
            Instant now = NOW;
            String open = "";
            for (int step = 0; step < 60; step++) {
                now = now.plusSeconds(random.nextInt(20));
                String look = "l" + random.nextInt(4);
                if (random.nextBoolean()) {
                    Word word = all.ask("n1", look, random.nextBoolean(), now).word();
                    assertThat(word == Word.RUNNING && !look.equals(open))
                            .as("seed " + seed)
                            .isFalse();
                    open = word == Word.ASKED ? look : open;
                } else if (all.heard(
                        "n1",
                        look,
                        (random.nextBoolean() ? "running 1 2 3" : "unknown why").getBytes(StandardCharsets.US_ASCII),
                        now)) {
                    assertThat(look).as("seed " + seed).isEqualTo(open);
                }
                String line = all.line("n1");
                assertThat(line.isEmpty() || line.equals("drift " + open + "\n"))
                        .as("seed " + seed)
                        .isTrue();
            }
        }
    }
}
