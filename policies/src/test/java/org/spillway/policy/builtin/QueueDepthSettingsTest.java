package org.spillway.policy.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class QueueDepthSettingsTest {
    @Test
    void hasDefaults() {
        assertThat(new QueueDepthPolicy().defaults()).isEqualTo(new QueueDepthSettings(Duration.ofSeconds(300), 1000));
    }

    @Test
    void takesTheSmallestValues() {
        assertThat(new QueueDepthSettings(Duration.ZERO, 1).maxNodesPerTick()).isEqualTo(1);
    }

    @Test
    void refusesANegativeIdleTime() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueueDepthSettings(Duration.ofSeconds(-1), 1))
                .withMessageContaining("idleTime");
    }

    @Test
    void refusesATickWithoutNodes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueueDepthSettings(Duration.ZERO, 0))
                .withMessageContaining("maxNodesPerTick");
    }
}
