package org.spillway.head.loop.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TransfersTest {
    private static final Instant NOW = Instant.parse("2026-11-23T06:00:00Z");

    private final Transfers transfers = new Transfers();

    @Test
    void aCopyForTheSiteBeforeCountsNoMore() {
        transfers.bound("j1", NOW);
        transfers.movedIn("j1", 7);
        transfers.bound("j1", NOW.plusSeconds(1));

        assertThat(transfers.movedIn("j1")).isZero();
        assertThat(transfers.isBoundAsOf("j1", NOW)).isFalse();
        assertThat(transfers.isBoundAsOf("j1", NOW.plusSeconds(1))).isTrue();
    }

    @Test
    void oneWithoutASiteIsMeasuredAnew() {
        transfers.bound("j1", NOW);
        transfers.inputIs("j1", 0, 0);
        assertThat(transfers.inputBytesIfKnown("j1")).hasValue(0);

        transfers.unbound("j1");

        assertThat(transfers.inputBytesIfKnown("j1")).isEmpty();
        assertThat(transfers.boundAt("j1")).isNull();
    }

    @Test
    void whatAJobLeftBehindOutlivesIt() {
        transfers.movedOut("j1", 9);
        transfers.leftBehind("j1", "north");
        transfers.leftBehind("j1", "south");
        transfers.forget("j1");
        assertThat(transfers.movedOut("j1")).isZero();
        assertThat(transfers.leftBehind()).isEqualTo(Map.of("j1", Set.of("north", "south")));

        transfers.cleaned("j1", "north");
        assertThat(transfers.leftBehind()).isEqualTo(Map.of("j1", Set.of("south")));
        transfers.cleaned("j1", "south");
        transfers.cleaned("j1", "south");
        assertThat(transfers.leftBehind()).isEmpty();
    }

    @Test
    void onlyLongTransfersSayHowFastASiteIs() {
        long unknown = transfers.bytesPerSecond("north");
        transfers.measured("north", 1000, Duration.ofSeconds(1));
        assertThat(transfers.bytesPerSecond("north")).isEqualTo(unknown);

        transfers.measured("north", 1_000_000, Duration.ofSeconds(1));
        assertThat(transfers.bytesPerSecond("north")).isEqualTo(1_000_000);
        transfers.measured("north", 2_000_000, Duration.ofSeconds(1));
        assertThat(transfers.bytesPerSecond("north")).isEqualTo(1_300_000);
    }
}
