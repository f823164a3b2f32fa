package org.spillway.head.loop.waits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.PlaceCause.PlaceFact;
import org.spillway.head.cause.Told;
import org.spillway.head.cause.WaitCause;
import org.spillway.scaler.plan.Bound;

/** The reason that is shown for a job follows from what was found out in a tick, whoever said it first. */
final class WaitsTest {
    private static final Cause ON_THE_WAY = new WaitCause.NodeOnTheWay("small", "a");
    private static final Cause HELD = new WaitCause.PlanHolds("no quota", Bound.Kind.LIMIT, "USER ada");

    private static WaitFinding by(Finder finder) {
        return new WaitFinding("1", finder, Told.of(finder.name()));
    }

    @ParameterizedTest
    @CsvSource({
        "COPY, ORDERS",
        "ORDERS, PLACE",
        "PLACE, STAGING",
        "STAGING, LICENCE",
        "LICENCE, MANAGER",
        "MANAGER, START",
        "START, SHORTAGE",
        "SHORTAGE, SUPPLY",
        "SUPPLY, PLAN",
        "COPY, PLAN"
    })
    void theLaterFinderWins(Finder weak, Finder strong) {
        assertThat(Waits.decide(List.of(by(weak), by(strong)))).containsEntry("1", Told.of(strong.name()));
        assertThat(Waits.decide(List.of(by(strong), by(weak)))).containsEntry("1", Told.of(strong.name()));
    }

    @Test
    void theTableNamesEveryFinder() {
        assertThat(Stream.of(Finder.values()).map(Finder::name))
                .containsExactly(
                        "COPY",
                        "ORDERS",
                        "PLACE",
                        "STAGING",
                        "LICENCE",
                        "MANAGER",
                        "START",
                        "SHORTAGE",
                        "SUPPLY",
                        "PLAN");
    }

    @Test
    void nothingInTheWayIsAFindingToo() {
        List<WaitFinding> found = List.of(WaitFinding.nothing("1", Finder.START), by(Finder.PLACE));
        assertThat(Waits.decide(found)).containsExactly(Map.entry("1", Cause.NONE));
    }

    static Stream<Long> seeds() {
        return new Random(20261123).longs(200).boxed();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theSameFindingsInAnyOrderShowTheSame(long seed) {
        Random random = new Random(seed);
        List<Cause> causes = List.of(
                Cause.NONE,
                ON_THE_WAY,
                new WaitCause.NodeOnTheWay("large", "b"),
                HELD,
                PlaceFact.INPUT_STUCK,
                new WaitCause.InputInTurn("east"));
        List<WaitFinding> found = new ArrayList<>();
        for (int i = random.nextInt(30); i >= 0; i--) {
            found.add(new WaitFinding(
                    Integer.toString(random.nextInt(4)),
                    Finder.values()[random.nextInt(Finder.values().length)],
                    causes.get(random.nextInt(causes.size()))));
        }
        Map<String, Cause> shown = Waits.decide(found);
        for (int i = 0; i < 10; i++) {
            Collections.shuffle(found, random);
            assertThat(Waits.decide(found)).as("seed " + seed).isEqualTo(shown);
        }
        found.addAll(List.copyOf(found));
        assertThat(Waits.decide(found)).as("said twice, seed " + seed).isEqualTo(shown);
    }

    @Test
    void aLaterTickReplacesAndSilenceKeeps() {
        Waits waits = new Waits();
        waits.take(List.of(new WaitFinding("1", Finder.PLAN, HELD), by(Finder.PLACE)), job -> true);
        assertThat(waits.of("1")).isEqualTo(HELD);
        waits.take(List.of(), job -> true);
        assertThat(waits.of("1")).isEqualTo(HELD);
        waits.take(List.of(new WaitFinding("1", Finder.COPY, ON_THE_WAY)), job -> true);
        assertThat(waits.of("1")).isEqualTo(ON_THE_WAY);
        waits.take(List.of(WaitFinding.nothing("1", Finder.COPY)), job -> true);
        assertThat(waits.of("1")).isEqualTo(Cause.NONE);
    }

    @Test
    void nothingIsKeptOfAJobThatHasEnded() {
        Waits waits = new Waits();
        waits.take(
                List.of(new WaitFinding("1", Finder.PLAN, HELD), new WaitFinding("2", Finder.PLAN, HELD)), job -> true);
        waits.take(List.of(by(Finder.START)), job -> job.equals("2"));
        assertThat(waits.of("1")).isEqualTo(Cause.NONE);
        assertThat(waits.of("2")).isEqualTo(HELD);
    }
}
