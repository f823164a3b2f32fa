package org.spillway.head.past;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

final class StandingTest {
    private static final Standing OURS = new Standing("a.1.y", 1, Set.of("a.1.x", "a.1.y"), true, false);

    @Test
    void whatAStartThatTheJournalDoesNotKnowHasBoughtIsStrange() {
        assertThat(OURS.isStrange("a.1.x")).isFalse();
        assertThat(OURS.isStrange("a.1.y")).isFalse();
        assertThat(OURS.isStrange("a.1.z")).as("a copy of this state").isTrue();
        assertThat(OURS.isStrange("b.1.x")).as("another state").isTrue();
        assertThat(OURS.isStrange("")).as("an earlier release").isFalse();
        assertThat(Standing.UNKEPT.isStrange("a.1.z")).isFalse();
        assertThat(OURS.released().quarantined()).isFalse();
    }
}
