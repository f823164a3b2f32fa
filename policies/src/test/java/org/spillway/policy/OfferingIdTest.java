package org.spillway.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class OfferingIdTest {
    private static final String LETTERS = "ab-./0";

    private static String name(Random random) {
        StringBuilder name = new StringBuilder();
        for (int letters = random.nextInt(4); letters > 0; letters--) {
            name.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return name.toString();
    }

    private static OfferingId drawn(Random random) {
        Market market = Market.values()[random.nextInt(Market.values().length)];
        return new OfferingId(name(random), name(random), name(random), market);
    }

    @Test
    void theOrderIsThatOfTheTexts() {
        Random random = new Random(3);
        for (int i = 0; i < 100_000; i++) {
            OfferingId one = drawn(random);
            OfferingId other = random.nextBoolean()
                    ? drawn(random)
                    : new OfferingId(
                            one.site(), random.nextBoolean() ? one.zone() : name(random), name(random), one.market());
            assertThat(Integer.signum(one.compareTo(other)))
                    .as("%s and %s", one, other)
                    .isEqualTo(Integer.signum(one.toString().compareTo(other.toString())));
        }
    }
}
