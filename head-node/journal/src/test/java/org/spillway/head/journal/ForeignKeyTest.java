package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ForeignKeyTest {
    private static final Pattern SAME = Pattern.compile("[a-z][a-z0-9-]{0,31}:[0-9][0-9_]*:[0-9]+");

    @ParameterizedTest
    @CsvSource({
        "pbs:1:2, true",
        "pbs:12_7:1700000000, true",
        "a-b0:1:2, true",
        "abcdefghijklmnopqrstuvwxyz012345:1:2, true",
        "abcdefghijklmnopqrstuvwxyz0123456:1:2, false",
        "0pbs:1:2, false",
        "pbs:_1:2, false",
        "pbs:1:2_3, false",
        "pbs:1:, false",
        "pbs::2, false",
        "pbs:1, false",
        "pbs:1:2:3, false",
        "3f1d9a54-0000-4000-8000-000000000000:17, false",
        ":1:2, false",
        "'', false",
    })
    void isOfAManagerAndTwoNumbers(String key, boolean foreign) {
        assertThat(ForeignKey.is(key)).isEqualTo(foreign);
    }

    @Test
    void agreesWithThePatternOnAllSortsOfKeys() {
        long seed = 20261124;
        Random random = new Random(seed);
        String letters = "ab-_:019Z";
        for (int i = 0; i < 200_000; i++) {
            StringBuilder key = new StringBuilder();
            for (int length = random.nextInt(10); length > 0; length--) {
                key.append(letters.charAt(random.nextInt(letters.length())));
            }
            assertThat(ForeignKey.is(key.toString()))
                    .as("seed %d: %s", seed, key)
                    .isEqualTo(SAME.matcher(key).matches());
        }
    }
}
