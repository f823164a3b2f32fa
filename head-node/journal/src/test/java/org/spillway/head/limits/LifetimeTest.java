package org.spillway.head.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Money;

/** H4: how long a job may run in a cluster that ends. */
final class LifetimeTest {
    private static final Instant NOW = Instant.parse("2026-11-22T08:00:00Z");
    private static final Money PLENTY = Money.parse("1000");
    private static final Money TWO = Money.parse("2");
    private static final Duration DAY = Duration.ofDays(1);

    private static Lifetime ending(Duration in) {
        return new Lifetime(NOW.plus(in), Money.parse("1"), NOW.minus(Duration.ofHours(1)));
    }

    @Test
    void timeEndsBeforeTheCluster() {
        assertThat(ending(Duration.ofMinutes(30))
                        .bounds(NOW, PLENTY, TWO, Duration.ZERO)
                        .byLife())
                .isEqualTo(Duration.ofMinutes(29));
        assertThat(ending(Duration.ofSeconds(40))
                        .bounds(NOW, PLENTY, TWO, Duration.ZERO)
                        .byLife())
                .isEqualTo(Duration.ofSeconds(38));
        assertThat(ending(Duration.ofSeconds(-40))
                        .bounds(NOW, PLENTY, TWO, Duration.ZERO)
                        .byLife())
                .isEqualTo(Duration.ZERO);
    }

    @Test
    void moneyLastsForAllNodesAndTheHead() {
        var bounds = ending(DAY).bounds(NOW, Money.parse("4"), TWO, Duration.ofMinutes(10));
        assertThat(bounds.byMoney()).as("4, less the head's hour, at 3 an hour").isEqualTo(Duration.ofMinutes(50));
        assertThat(bounds.shorter()).isEqualTo(bounds.byMoney());
        assertThat(ending(DAY).bounds(NOW, Money.ZERO, TWO, Duration.ZERO).byMoney())
                .isEqualTo(Duration.ZERO);
        assertThat(new Lifetime(NOW.plus(DAY), Money.ZERO, NOW)
                        .bounds(NOW, Money.ZERO, Money.ZERO, Duration.ZERO)
                        .byMoney())
                .as("nothing costs anything")
                .isGreaterThan(DAY);
    }

    @Test
    void aUsualWalltimeIsCutToTheShorterAndToAMinuteAtLeast() {
        var bounds = new Lifetime.Bounds(Duration.ofMinutes(29), Duration.ofMinutes(50));
        assertThat(bounds.cut(DAY)).isEqualTo(Duration.ofMinutes(29));
        assertThat(bounds.cut(Duration.ofMinutes(5))).isEqualTo(Duration.ofMinutes(5));
        assertThat(new Lifetime.Bounds(Duration.ZERO, DAY).cut(DAY)).isEqualTo(Duration.ofMinutes(1));
    }
}
