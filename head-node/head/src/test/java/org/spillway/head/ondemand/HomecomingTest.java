package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.ondemand.HomeJobs.Pass;

final class HomecomingTest {
    private final JournalStore store = new MemoryJournalStore();
    private Journal journal = new Journal(store, Instant.EPOCH);
    private final StepEffects effects = new StepEffects();
    private final List<String> passes = new ArrayList<>();
    private Instant now = Kids.MADE;
    private Pass next = new Pass(Set.of(), 0, Map.of());
    private @Nullable IOException trouble;
    private Homecoming homecoming = homecoming();

    private Homecoming homecoming() {
        return new Homecoming(
                journal,
                effects,
                (child, before, last) -> {
                    passes.add((last ? "last " : "") + before);
                    if (trouble != null) {
                        throw trouble;
                    }
                    return next;
                },
                Duration.ofMinutes(10),
                () -> now);
    }

    private ClusterRecord child() {
        return journal.cluster("main-c1").orElseThrow();
    }

    private void tick(int seconds) {
        for (int i = 0; i < seconds; i++) {
            now = now.plusSeconds(1);
            effects.handBack();
            homecoming.advance(now, false);
        }
    }

    private void end() {
        journal.commit(now, child().deleting(new Told("its time is over"), now));
    }

    private String told() {
        return journal.notices("main-c1").getLast().sentence();
    }

    @Test
    void whatEndsWhileItRunsComesHomeAtOnceAndIsNotAskedForAgain() {
        journal.commit(now, Kids.running(Duration.ofHours(1), "1"));
        next = new Pass(Set.of("1"), 3, Map.of());
        tick(25);
        assertThat(passes).containsExactly("[]", "[1]", "[1]");
        assertThat(journal.notices()).isEmpty();
    }

    @Test
    void itGoesWhenNothingIsOpenAndAllIsHome() {
        journal.commit(now, Kids.running(Duration.ofHours(1), "1"));
        tick(1);
        end();
        next = new Pass(Set.of("1"), 1, Map.of());
        tick(5);
        assertThat(homecoming.isOver(child())).as("a job still ends").isFalse();
        next = new Pass(Set.of("2"), 0, Map.of());
        tick(3);
        assertThat(homecoming.isOver(child())).isTrue();
        assertThat(told()).isEqualTo("cluster demo1: results of 2 jobs are in /home/alice/results");
        int before = passes.size();
        tick(5);
        assertThat(passes).hasSize(before);
        assertThat(passes.getLast()).startsWith("last ");
    }

    @Test
    void whatItsUserMayNotWriteIsToldAndHoldsItUpNoLonger() {
        journal.commit(now, Kids.running(Duration.ofHours(1), "1"));
        end();
        next = new Pass(Set.of(), 0, Map.of("7", "permission\ndenied"));
        tick(10);
        assertThat(homecoming.isOver(child())).isTrue();
        assertThat(told()).contains("those of 1 could not be brought home; job 7: permission?denied");
    }

    @Test
    void aHeadThatDoesNotAnswerHoldsItUpForAMinuteOnly() {
        journal.commit(now, Kids.running(Duration.ofHours(1), "1"));
        end();
        trouble = new IOException("away");
        tick(50);
        assertThat(homecoming.isOver(child())).isFalse();
        tick(20);
        assertThat(homecoming.isOver(child())).isTrue();
        assertThat(told()).contains("its head does not answer");
    }

    @Test
    void jobsThatDoNotEndHoldItUpForItsTimeOnly() {
        journal.commit(now, Kids.running(Duration.ofHours(1), "1"));
        end();
        next = new Pass(Set.of(), 1, Map.of());
        tick(590);
        assertThat(homecoming.isOver(child())).isFalse();
        tick(15);
        assertThat(homecoming.isOver(child())).isTrue();
        assertThat(told()).contains("not all results came home within 600 s");
    }

    @Test
    void aPassThatNeverEndsHoldsItUpForItsTimeOnly() {
        journal.commit(now, Kids.running(Duration.ofHours(1), "1"));
        end();
        effects.stuck = true;
        tick(605);
        assertThat(homecoming.isOver(child())).isTrue();
    }

    @Test
    void aHeadThatStartsAgainKnowsThatItIsOver() {
        journal.commit(now, Kids.running(Duration.ofHours(1), "1"));
        end();
        tick(3);
        assertThat(homecoming.isOver(child())).isTrue();
        journal = new Journal(store, Instant.EPOCH);
        homecoming = homecoming();
        passes.clear();
        tick(3);
        assertThat(homecoming.isOver(child())).isTrue();
        assertThat(passes).isEmpty();
    }

    @Test
    void oneThatNeverTookJobsGoesAtOnce() {
        var made = Kids.made(Duration.ofHours(1), "1").creating(now);
        journal.commit(now, made);
        journal.commit(now, made.deleting(new Told("deleted by alice"), now));
        assertThat(homecoming.isOver(child())).isTrue();
        tick(3);
        assertThat(passes).isEmpty();
    }
}
