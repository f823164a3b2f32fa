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

    @Test
    void whatAHeadBesideThisOneHasBoughtTellsOfIt() {
        Standing ours = new Standing("a.2.y", 2, Set.of("a.1.w", "a.2.x", "a.2.y"), false, false);
        assertThat(ours.isOfTwin("a.2.z", () -> true))
                .as("a start that is not known")
                .isTrue();
        assertThat(ours.isOfTwin("a.3.z", () -> true)).as("a later epoch").isTrue();
        assertThat(ours.isOfTwin("a.2.x", () -> false))
                .as("the head of which this state is a copy, after it was copied")
                .isTrue();
        assertThat(ours.isOfTwin("a.2.x", () -> true)).as("an earlier start").isFalse();
        assertThat(ours.isOfTwin("a.2.y", () -> false)).as("this start").isFalse();
        assertThat(ours.isOfTwin("a.1.z", () -> false))
                .as("the part that a journal lacks which was put back")
                .isFalse();
        for (String other : new String[] {"b.2.x", "", "a.2", "a.x.x", "a.99999999999.x"}) {
            assertThat(ours.isOfTwin(other, () -> false)).as(other).isFalse();
        }
        assertThat(Standing.UNKEPT.isOfTwin("a.2.x", () -> false)).isFalse();
    }
}
