package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.spillway.policy.Seeds;

/** Plans are applied to a model fleet under constant demand: the fleet must come to rest. */
class OscillationTest {
    private static final int CASES = Seeds.some(300);
    private static final int TICKS = 40;
    /** Limits cut a gang's last nodes off, which are asked for once more. */
    private static final int CALM_FROM = 5;
    /** Failures end at a third of the ticks; an outage of 600 s and doubling probes fit into the next third. */
    private static final int QUIET_FROM = 30;

    /**
     * Not even a surplus, unless nodes of a second, larger offering had to do: those may hold more than was counted on.
     * What was released is not bought again in either case.
     */
    @Test
    void nothingIsReleasedWhileNothingStarts() {
        run("nothing starts", false, false);
    }

    /** Jobs that start on a gang's nodes may leave a surplus, and its release room in a full site for others; once. */
    @Test
    void comesToRestWhileJobsStart() {
        run("jobs start", true, false);
    }

    /**
     * Offerings that come and go may leave a surplus, because other nodes were bought in the meantime; it goes once. A
     * part of a gang that waits for the rest is no surplus.
     */
    @Test
    void comesToRestAfterAProviderWithMoods() {
        run("moods", false, true);
    }

    @Test
    void comesToRestAfterAProviderWithMoodsWhileJobsStart() {
        run("moods, jobs start", true, true);
    }

    /** A gang's nodes are of one zone there: what was bought in another one is no part of it, and must not be bought for ever. */
    @Test
    void comesToRestOnFabricsOfSeveralZones() {
        run("fabrics", true, false, true);
        run("fabrics, moods", true, true, true);
        run("fabrics, moods, nothing starts", false, true, true);
    }

    /** A gang that found neither room nor money took each node that was bought for a smaller job, without end. */
    @Test
    void aGangThatCannotBeCompletedTakesNobodysNode() {
        run("nothing starts, kept", false, false, false, 563);
        run("fabrics, moods, nothing starts, kept", false, true, true, 1302);
    }

    /**
     * Patterns placed more than first fit, if nine nodes were bought in a site that may have one: that one was bought, found
     * nothing to do once the site was full, was released after its idle time and bought again a tick later, for ever.
     */
    @Test
    void nothingIsBoughtForAPackingThatCannotBeHadAsAWhole() {
        run("nothing starts, by halves", false, false, false, 2581);
        run("fabrics, moods, nothing starts, by halves", false, true, true, 2581);
    }

    private static void run(String name, boolean jobsStart, boolean moods) {
        run(name, jobsStart, moods, false);
    }

    private static void run(String name, boolean jobsStart, boolean moods, boolean fabrics) {
        run(name, jobsStart, moods, fabrics, Seeds.of("oscillation, " + name, CASES));
    }

    private static void run(String name, boolean jobsStart, boolean moods, boolean fabrics, long... seeds) {
        int launches = 0;
        for (long seed : seeds) {
            ModelFleet fleet = new ModelFleet(seed, jobsStart, fabrics);
            for (int tick = 0; tick < TICKS; tick++) {
                ModelFleet.Tick done = fleet.tick(moods && tick < TICKS / 4);
                launches += done.launched();
                if (tick >= QUIET_FROM || (!moods && !jobsStart && !fleet.hasSubstitutes())) {
                    assertThat(done.released())
                            .as("seed %d, tick %d: releases while demand is constant\n%s", seed, tick, fleet)
                            .isZero();
                }
                if (tick >= QUIET_FROM || (!moods && !jobsStart && tick >= CALM_FROM)) {
                    assertThat(done.launched())
                            .as("seed %d, tick %d: still launches\n%s", seed, tick, fleet)
                            .isZero();
                }
                assertThat(fleet.overLimit())
                        .as("seed %d, tick %d: more nodes than allowed\n%s", seed, tick, fleet)
                        .isEmpty();
            }
        }
        assertThat(launches).as("%s: the model launches something", name).isGreaterThan(1);
    }
}
