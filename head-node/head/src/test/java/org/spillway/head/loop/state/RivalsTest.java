package org.spillway.head.loop.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.JournalFailure;

final class RivalsTest {
    private static final Instant START = Instant.parse("2026-11-23T12:00:00Z");
    private static final List<String> EAST = List.of("east");

    @Test
    void aStateThatIsWhereItWasAsksNobody() {
        Rivals rivals = new Rivals(false, START);
        assertThat(rivals.isHeldBack(EAST, START)).isFalse();
        assertThat(rivals.onlyAsks("east")).isFalse();
        rivals.heard("east", 7, 7, START);
    }

    @Test
    void aCopyFindsTheHeadThatLives() {
        Rivals rivals = new Rivals(true, START);
        assertThat(rivals.isHeldBack(EAST, START)).isTrue();
        rivals.heard("east", 0, 7, START);
        assertThatThrownBy(() -> rivals.heard("east", 0, 8, START.plusSeconds(1)))
                .isInstanceOf(JournalFailure.class)
                .hasMessageContaining("another head of this state is alive")
                .hasMessageContaining("site east");
    }

    @Test
    void aMovedStateGoesOnAfterSilence() {
        Rivals rivals = new Rivals(true, START);
        rivals.heard("east", 0, 7, START);
        rivals.heard("east", 0, 7, START.plusSeconds(1));
        assertThat(rivals.isSettledBy(EAST)).isFalse();
        rivals.heard("east", 0, 7, START.plusSeconds(3));
        assertThat(rivals.onlyAsks("east")).isFalse();
        assertThat(rivals.isSettledBy(EAST)).isTrue();
        assertThat(rivals.isHeldBack(EAST, START.plusSeconds(3))).isFalse();
    }

    @Test
    void aDirectorThatDoesNotAnswerIsNotWaitedForForEverAndAskedAllTheSame() {
        Rivals rivals = new Rivals(true, START);
        assertThat(rivals.isHeldBack(EAST, START.plusSeconds(16))).isFalse();
        assertThat(rivals.onlyAsks("east")).isTrue();
    }

    @Test
    void aHeadThatWasPassedOverGivesWay() {
        Rivals rivals = new Rivals(false, START);
        rivals.heard("east", 7, 7, START);
        assertThatThrownBy(() -> rivals.heard("east", 8, 90, START.plusSeconds(1)))
                .isInstanceOf(JournalFailure.class)
                .hasMessageContaining("has taken over");
    }
}
