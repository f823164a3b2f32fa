package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Names of sessions beyond the head; what is done with them: InteractiveTest, with whole heads and nodes. */
final class SessionDeskTest {
    private static final String NAME = "0123456789abcdef0123456789abcdef";

    @Test
    void aConnectionComesToTheSameSessionAgainAndNeverToAnotherJobs() {
        String first = SessionDesk.beyondHead("1", 1, NAME);
        assertThat(first)
                .matches("[0-9a-f]{32}")
                .isEqualTo(SessionDesk.beyondHead("1", 1, NAME))
                .isNotEqualTo(SessionDesk.beyondHead("2", 1, NAME))
                .isNotEqualTo(SessionDesk.beyondHead("1", 2, NAME))
                .isNotEqualTo(NAME);
    }
}
