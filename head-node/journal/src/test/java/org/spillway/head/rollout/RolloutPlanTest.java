package org.spillway.head.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.RolloutCause;
import org.spillway.head.cause.RolloutCause.Order;
import org.spillway.head.cause.RolloutCause.Ordered;
import org.spillway.head.cause.RolloutCause.RolloutFact;
import org.spillway.head.rollout.Member.Stage;
import org.spillway.head.rollout.NodeSight.Place;
import org.spillway.head.rollout.Rollout.Phase;

/** The order in which a rollout goes, step by step. */
final class RolloutPlanTest {
    private static final Version OLD = new Version("compute", "a".repeat(64));
    private static final Version NEW = new Version("compute", "b".repeat(64));
    private static final Cause SICK = new NodeCause.Sick("scratch: full");
    private static final Terms ONE_THEN_TWO = new Terms(1, 2, 0, 60, 600, 0);

    private Instant now = Instant.EPOCH;
    private Rollout rollout = Rollout.begin(OLD, NEW, ONE_THEN_TWO, RolloutFact.IMAGE_MOVED, now);
    private final Map<String, NodeSight> nodes = new TreeMap<>();

    private void serves(String node, Version version, boolean busy) {
        nodes.put(node, new NodeSight(node, Place.SERVING, busy, true, version.digest(), true, Cause.NONE));
    }

    private void is(String node, Place place, Version version) {
        nodes.put(node, new NodeSight(node, place, false, true, version.digest(), true, Cause.NONE));
    }

    private void fails(String node) {
        nodes.put(node, new NodeSight(node, Place.CHANGING, false, false, "", true, SICK));
    }

    private void step() {
        rollout = RolloutPlan.next(rollout, List.copyOf(nodes.values()), now);
    }

    private void after(long seconds) {
        now = now.plusSeconds(seconds);
        step();
    }

    private List<String> wanting(Version version) {
        return nodes.keySet().stream()
                .filter(node -> rollout.wanted(node).equals(version))
                .toList();
    }

    @Test
    void oneIdleNodeIsFirstAndTheOthersFollowTwoAtATimeWhenEachHasStayedWell() {
        serves("n1", OLD, true);
        serves("n2", OLD, false);
        serves("n3", OLD, false);
        serves("n4", OLD, true);
        step();
        assertThat(wanting(NEW)).as("the canary has no job").containsExactly("n2");
        after(30);
        assertThat(wanting(NEW)).containsExactly("n2");
        serves("n2", NEW, false);
        step();
        assertThat(rollout.members().getFirst().stage()).isEqualTo(Stage.SOAKING);
        after(59);
        assertThat(rollout.phase()).isEqualTo(Phase.CANARY);
        after(1);
        assertThat(rollout.phase()).isEqualTo(Phase.BATCHES);
        assertThat(rollout.cause()).isEqualTo(RolloutFact.CANARY_PASSED);
        step();
        assertThat(wanting(NEW)).containsExactly("n1", "n2", "n3");
        assertThat(rollout.state()).isEqualTo("BATCH_2");
        serves("n1", NEW, false);
        serves("n3", NEW, false);
        step();
        after(60);
        assertThat(wanting(NEW)).hasSize(4);
        serves("n4", NEW, false);
        step();
        after(60);
        step();
        assertThat(rollout.phase()).isEqualTo(Phase.DONE);
        assertThat(rollout.cause()).isEqualTo(RolloutFact.ALL_RENEWED);
        assertThat(rollout.wanted("another")).isEqualTo(NEW);
    }

    @Test
    void aCanaryThatFailsHaltsItAndGoesBack() {
        serves("n1", OLD, false);
        serves("n2", OLD, false);
        step();
        fails("n1");
        step();
        assertThat(rollout.phase()).isEqualTo(Phase.BACK);
        assertThat(rollout.cause()).isEqualTo(new RolloutCause.NodesFailed(1, 0, "n1", SICK));
        step();
        assertThat(wanting(NEW)).isEmpty();
        assertThat(rollout.phase()).as("it is on its way").isEqualTo(Phase.BACK);
        serves("n1", OLD, false);
        step();
        assertThat(rollout.phase()).isEqualTo(Phase.UNDONE);
        assertThat(rollout.failed()).isEqualTo(1);
    }

    @Test
    void aLaterFailureBringsBackThoseThatHadPassedTwoAtATime() {
        serves("n1", NEW, false);
        serves("n2", NEW, true);
        serves("n3", NEW, false);
        serves("n4", NEW, false);
        serves("n5", OLD, false);
        step();
        after(60);
        after(60);
        step();
        assertThat(wanting(NEW)).hasSize(5);
        fails("n5");
        step();
        step();
        assertThat(wanting(OLD)).as("what has left service, and one more").containsExactly("n1", "n5");
        serves("n5", OLD, false);
        serves("n1", OLD, false);
        step();
        assertThat(wanting(OLD)).containsExactly("n1", "n3", "n4", "n5");
        serves("n3", OLD, false);
        serves("n4", OLD, false);
        step();
        assertThat(wanting(NEW)).isEmpty();
        serves("n2", OLD, false);
        step();
        assertThat(rollout.phase()).isEqualTo(Phase.UNDONE);
    }

    @Test
    void newNodesHaveTheFormerVersionUntilTheCanaryHasPassed() {
        serves("n1", OLD, false);
        step();
        is("n2", Place.COMING, Version.NONE);
        step();
        assertThat(wanting(OLD)).containsExactly("n2");
        serves("n1", NEW, false);
        step();
        after(60);
        is("n3", Place.COMING, Version.NONE);
        step();
        step();
        assertThat(wanting(NEW)).containsExactly("n1", "n2", "n3");
    }

    @Test
    void whereThereIsNoNodeTheFirstThatComesIsTheCanary() {
        step();
        after(3600);
        assertThat(rollout.phase()).isEqualTo(Phase.CANARY);
        is("n1", Place.COMING, Version.NONE);
        is("n2", Place.COMING, Version.NONE);
        step();
        assertThat(wanting(NEW)).containsExactly("n1");
        fails("n1");
        step();
        step();
        assertThat(wanting(NEW)).isEmpty();
    }

    @Test
    void whatAnAdministratorDrainsIsLeftAloneAndHoldsNothingUp() {
        serves("n1", OLD, false);
        is("n2", Place.PARKED, OLD);
        step();
        serves("n1", NEW, false);
        step();
        after(60);
        step();
        assertThat(rollout.phase()).isEqualTo(Phase.DONE);
    }

    @Test
    void aNodeWhoseJobGoesOnIsNamedAndOthersGoAheadAsFarAsThereIsRoom() {
        rollout = Rollout.begin(OLD, NEW, new Terms(0, 2, 0, 0, 600, 0), RolloutFact.IMAGE_MOVED, now);
        List.of("n1", "n2", "n3", "n4").forEach(node -> serves(node, OLD, true));
        step();
        step();
        assertThat(wanting(NEW)).containsExactly("n1", "n2");
        serves("n2", NEW, true);
        step();
        after(0);
        assertThat(wanting(NEW)).hasSize(2);
        after(601);
        assertThat(RolloutPlan.heldUp(rollout, now)).containsExactly("n1");
        assertThat(wanting(NEW)).as("one place is taken").containsExactly("n1", "n2", "n3");
    }

    @Test
    void pausedGivesNobodyMoreAndStillHalts() {
        serves("n1", OLD, false);
        serves("n2", OLD, false);
        step();
        rollout = rollout.paused(true, new Ordered(Order.PAUSE, "root"));
        serves("n1", NEW, false);
        step();
        after(3600);
        step();
        assertThat(rollout.phase()).isEqualTo(Phase.CANARY);
        assertThat(rollout.state()).isEqualTo("PAUSED");
        assertThat(wanting(NEW)).containsExactly("n1");
        fails("n1");
        rollout = new Rollout(
                rollout.from(),
                rollout.to(),
                rollout.terms(),
                rollout.phase(),
                true,
                rollout.cause(),
                rollout.since(),
                1,
                List.of(new Member("n1", 1, Stage.SOAKING, now, Cause.NONE)),
                0);
        step();
        assertThat(rollout.phase()).isEqualTo(Phase.BACK);
    }

    @Test
    void aShareOfTheNodesIsAtLeastOne() {
        assertThat(new Terms(1, 0, 10, 0, 60, 0).most(9)).isEqualTo(1);
        assertThat(new Terms(1, 0, 10, 0, 60, 0).most(45)).isEqualTo(4);
        assertThat(new Terms(1, 7, 0, 0, 60, 0).most(45)).isEqualTo(7);
        assertThat(Duration.ofSeconds(Terms.USUAL.soakSeconds())).isEqualTo(Duration.ofMinutes(5));
        assertThat(new ArrayList<>(rollout.members())).isEmpty();
    }
}
