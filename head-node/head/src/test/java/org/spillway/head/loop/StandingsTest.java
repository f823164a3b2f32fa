package org.spillway.head.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.cause.PlaceCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.cause.WaitCause.Purpose;
import org.spillway.head.cause.WaitCause.WaitFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobRun.Rank;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.placement.Prospect;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Bound;

/** A plan speaks of all jobs of a shape, a job's own place of that one. */
final class StandingsTest {
    private static final Instant START = Instant.parse("2026-01-05T14:07:30Z");
    private static final Cause FULL = new PlaceCause.NoRoomToBuy("east", 0);
    private static final Cause ON_THE_WAY = new WaitCause.NodeOnTheWay("large", "zone-x");
    private static final Cause HOLDS = new WaitCause.PlanHolds("site east has 2 of 2 nodes", Bound.Kind.LIMIT, "");

    private static Prospect has(boolean buys, String... nodes) {
        return new Prospect("east", true, List.of(nodes), buys, "", Money.ZERO, Money.ZERO, START, Cause.NONE);
    }

    private static final Prospect WAITS =
            new Prospect("east", false, List.of(), false, "", Money.ZERO, Money.ZERO, START, FULL);

    @Test
    void aRunThatIsBeingStoppedSaysSoWhereverTheJobIsListed() {
        List<Rank> both = List.of(new Rank("east-1", null, false), new Rank("east-2", null, false));
        List<Rank> one = List.of(both.getFirst(), new Rank("east-2", null, true));
        assertThat(Standings.running(running(both, false))).isEqualTo(Cause.NONE);
        assertThat(Standings.running(running(one, false))).isEqualTo(JobFact.STOPPING_FOR_PART);
        assertThat(Standings.running(running(both, true))).isEqualTo(JobFact.STOPPING_FOR_USER);
    }

    private static JobRecord running(List<Rank> ranks, boolean cancelled) {
        JobRun run = new JobRun(1, "east", ranks, null, false, null, cancelled, null, null, null);
        return Samples.job("j1", 2, "", JobState.RUNNING, run);
    }

    @Test
    void aNodeThatAnotherWillHaveIsNotOnItsWayToThisOne() {
        assertThat(Standings.of(ON_THE_WAY, WAITS, List.of())).isEqualTo(FULL);
        assertThat(Standings.of(Cause.NONE, WAITS, List.of())).isEqualTo(FULL);
    }

    @Test
    void aNodeThatWasJustBoughtIsOnItsWayBeforePlacementKnowsIt() {
        assertThat(Standings.of(ON_THE_WAY, has(true), List.of())).isEqualTo(ON_THE_WAY);
        assertThat(Standings.of(ON_THE_WAY, null, List.of())).isEqualTo(ON_THE_WAY);
    }

    @ParameterizedTest
    @EnumSource(
            value = NodeState.class,
            names = {"REQUESTED", "LAUNCHING", "BOOTING", "PROVISIONING", "JOINING", "REPURPOSING"})
    void whatThePlanDoesNotDoForOthersIsNotSaidOfAJobWhoseNodeComes(NodeState state) {
        NodeRecord node = Samples.node("east-1", state);
        Cause its = new WaitCause.NodeOnTheWay(
                node.offering().instanceType(), node.offering().zone());
        assertThat(Standings.of(HOLDS, has(false, "east-1"), List.of(node))).isEqualTo(its);
        assertThat(Standings.of(new WaitCause.NoSlots("slurm", "large", "east"), has(false, "east-1"), List.of(node)))
                .isEqualTo(its);
        assertThat(Standings.of(
                        new WaitCause.Budget(Money.ZERO, Money.ZERO, Purpose.NODE),
                        has(false, "east-1"),
                        List.of(node)))
                .isEqualTo(its);
        Cause powered = new WaitCause.NodePoweredOn("east-1");
        assertThat(Standings.of(powered, has(false, "east-1"), List.of(node))).isEqualTo(powered);
    }

    @Test
    void aReadyNodeIsNotOnItsWay() {
        NodeRecord ready = Samples.node("east-1", NodeState.READY);
        assertThat(Standings.of(ON_THE_WAY, has(false, "east-1"), List.of(ready)))
                .isEqualTo(WaitFact.NODE_READY);
        assertThat(Standings.of(HOLDS, has(true, "east-1"), List.of(ready)))
                .as("a part of a gang")
                .isEqualTo(HOLDS);
    }

    @Test
    void whatIsNotAboutNodesStays() {
        NodeRecord ready = Samples.node("east-1", NodeState.READY);
        for (Cause said : List.of(
                new WaitCause.InputOnTheWay("east", false),
                new WaitCause.LicenceTaken("matlab"),
                new WaitCause.Budget(Money.ZERO, Money.ZERO, Purpose.RUN))) {
            assertThat(Standings.of(said, has(false, "east-1"), List.of(ready))).isEqualTo(said);
        }
    }

    @Test
    void aStandingIsOfOneMoment() {
        assertThat(new Standing(FULL, START)).isEqualTo(new Standing(FULL, START));
    }
}
