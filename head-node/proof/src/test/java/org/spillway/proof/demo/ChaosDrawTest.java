package org.spillway.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ChaosDrawTest {
    @Test
    void isTheSameForASeedAndAnotherForAnotherKind() {
        assertThat(Chaos.Draw.of(Chaos.Kind.NODE, 7)).isEqualTo(Chaos.Draw.of(Chaos.Kind.NODE, 7));
        assertThat(Chaos.Draw.of(Chaos.Kind.NODE, 7).after())
                .isNotEqualTo(Chaos.Draw.of(Chaos.Kind.LINK, 7).after());
    }

    @Test
    void staysWithinItsBoundsAndReachesEveryTarget() {
        List<String> targets = List.of("home", "east", "west");
        Set<String> hit = new HashSet<>();
        for (long seed = 0; seed < 50; seed++) {
            Chaos.Draw draw = Chaos.Draw.of(Chaos.Kind.LINK, seed);
            assertThat(draw.after()).as("seed " + seed).isBetween(Duration.ZERO, Duration.ofSeconds(8));
            assertThat(draw.cutSeconds()).as("seed " + seed).isBetween(2.0, 8.0);
            hit.add(draw.pick(targets).orElseThrow());
        }
        assertThat(hit).hasSize(3);
        assertThat(Chaos.Draw.of(Chaos.Kind.LINK, 1).pick(List.of())).isEmpty();
    }
}
