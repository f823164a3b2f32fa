package org.spillway.head.past;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class StartTest {
    private static final String OURS = "0123456789abcdef0123456789abcdef";
    private static final String OTHER = "fedcba9876543210fedcba9876543210";
    private static final String FRESH = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");
    private static final StateMark KEPT = new StateMark(OURS, 2, 7, 100, 5000, false);
    private static final JournalMark SAME = new JournalMark(OURS, 2, 7, 103, 4200, false);

    static Stream<Arguments> table() {
        return Stream.of(
                // Secrets, journal, traces, --new-epoch: what follows.
                row("both are new", null, JournalMark.EMPTY, false, false, "goes on 1"),
                row("an earlier release's journal", null, old(300), true, false, "goes on 1"),
                row("an earlier release's secrets, no journal", null, JournalMark.EMPTY, true, false, "refused EMPTY"),
                row("the same, and gone on with", null, JournalMark.EMPTY, true, true, "quarantine EMPTY 2"),
                row("the secrets' mark is missing", null, SAME, true, false, "refused UNMARKED"),
                row("the same, and gone on with", null, SAME, true, true, "quarantine UNMARKED 3"),
                row("both are the same", KEPT, SAME, true, false, "goes on 2"),
                row("as many commits as are remembered", KEPT, commits(100), true, false, "goes on 2"),
                row("a journal that is ahead", KEPT, starts(8), true, false, "goes on 2"),
                row("one commit is missing", KEPT, commits(99), true, false, "quarantine OLDER 3"),
                row("copied before the last start", KEPT, starts(6), true, false, "quarantine OLDER 3"),
                row("copied before the last epoch", KEPT, epoch(1), true, false, "quarantine OLDER 3"),
                row("copied before the update", KEPT, old(300), true, false, "quarantine OLDER 3"),
                row("no journal", KEPT, JournalMark.EMPTY, true, false, "refused EMPTY"),
                row("no journal, and no other trace", KEPT, JournalMark.EMPTY, false, false, "refused EMPTY"),
                row("no journal, and gone on with", KEPT, JournalMark.EMPTY, true, true, "quarantine EMPTY 3"),
                row("another's journal", KEPT, of(OTHER), true, false, "refused FOREIGN"),
                row("another's journal, insisted on", KEPT, of(OTHER), true, true, "refused FOREIGN"),
                row("killed in its first moment", unused(), JournalMark.EMPTY, false, false, "goes on 1"),
                row("killed in its first moment after an update", unused(), old(300), true, false, "goes on 1"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void followsFromBothMemories(
            String name,
            @Nullable StateMark kept,
            JournalMark journal,
            boolean traces,
            boolean insisted,
            String expected) {
        Start start = Start.of(kept, journal, traces, insisted, FRESH, NOW);
        assertThat(said(start)).as(name).isEqualTo(expected);
    }

    private static String said(Start start) {
        return switch (start) {
            case Start.GoOn(StateMark mark) -> "goes on " + mark.epoch();
            case Start.Quarantine(StateMark mark, Start.Why why) -> "quarantine " + why + " " + mark.epoch();
            case Start.Refuse(Start.Why why) -> "refused " + why;
        };
    }

    @Test
    void numbersGoOnAboveAllThatMayHaveBeenGiven() {
        assertThat(mark(Start.of(KEPT, commits(5), true, false, FRESH, NOW)).numbers())
                .isEqualTo(5000);
        assertThat(mark(Start.of(KEPT, JournalMark.EMPTY, true, true, FRESH, NOW))
                        .numbers())
                .isEqualTo(5000);
        assertThat(mark(Start.of(null, JournalMark.EMPTY, true, true, FRESH, NOW))
                        .numbers())
                .isEqualTo(Duration.between(Start.EARLIEST, NOW).toSeconds());
    }

    @Test
    void aQuarantineLastsOverStarts() {
        StateMark isolated = new StateMark(OURS, 2, 7, 100, 5000, true);
        assertThat(mark(Start.of(isolated, SAME, true, false, FRESH, NOW)).quarantined())
                .isTrue();
        assertThat(isolated.released().quarantined()).isFalse();
        assertThat(mark(Start.of(KEPT, SAME, true, false, FRESH, NOW)).quarantined())
                .isFalse();
    }

    private static StateMark mark(Start start) {
        return switch (start) {
            case Start.GoOn(StateMark mark) -> mark;
            case Start.Quarantine(StateMark mark, Start.Why why) -> mark;
            case Start.Refuse(Start.Why why) -> throw new AssertionError(why);
        };
    }

    private static Arguments row(
            String name, @Nullable StateMark kept, JournalMark journal, boolean traces, boolean insisted, String then) {
        return Arguments.of(name, kept, journal, traces, insisted, then);
    }

    private static StateMark unused() {
        return new StateMark(OURS, 1, 0, 0, 0, false);
    }

    private static JournalMark old(long sequence) {
        return new JournalMark("", 0, 0, 0, sequence, false);
    }

    private static JournalMark commits(long made) {
        return new JournalMark(OURS, 2, 7, made, 4200, false);
    }

    private static JournalMark starts(long of) {
        return new JournalMark(OURS, 2, of, 103, 4200, false);
    }

    private static JournalMark epoch(int of) {
        return new JournalMark(OURS, of, 7, 103, 4200, false);
    }

    private static JournalMark of(String identity) {
        return new JournalMark(identity, 2, 7, 103, 4200, false);
    }
}
