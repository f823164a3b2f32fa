package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever the texts are, what was packed is what is unpacked. */
final class PackedTextTest {
    private static final String[] PARTS = {"},{", "}", "{", ",", "\"a\":1", "},{\"b\":\"},{\"", "ü", "\n", "row"};

    @Test
    void whatWasPackedIsUnpacked() throws IOException {
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            String base = text(random);
            String text = random.nextBoolean() ? text(random) : base.replace("row", "other") + text(random);
            byte[] packed = new PackedText("d1", base).pack(text);
            assertThat(PackedText.baseOf(packed)).isEqualTo("d1");
            assertThat(PackedText.unpack(packed, base)).as("seed %d", seed).isEqualTo(text);
            assertThat(PackedText.unpack(PackedText.whole(text), ""))
                    .as("seed %d", seed)
                    .isEqualTo(text);
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(60); i > 0; i--) {
            text.append(PARTS[random.nextInt(PARTS.length)]);
        }
        return text.toString();
    }

    @Test
    void anotherBaseIsNoticed() {
        byte[] packed = new PackedText("d1", "{a},{b},{c},{d}").pack("{a},{b},{c},{d}");
        assertThatThrownBy(() -> PackedText.unpack(packed, "{a},{b}")).isInstanceOf(IOException.class);
    }
}
