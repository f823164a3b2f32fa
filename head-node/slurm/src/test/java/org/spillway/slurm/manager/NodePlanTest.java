package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.spillway.slurm.manager.WantedNode.Phase;

/** Orders about nodes bring Slurm to where the head wants it, from wherever it is. */
final class NodePlanTest extends NodeScene {
    private static final long SEEDS = 400;

    @Test
    void namesAreInLowerCaseWithoutAnythingButLettersAndDigits() {
        assertThat(DECLARED.keySet())
                .containsExactlyInAnyOrder(
                        "west-g5-xlarge-1",
                        "west-g5-xlarge-2",
                        "west-g5-xlarge-3",
                        "west-big-1",
                        "east-big-1",
                        "east-big-2");
    }

    @Test
    void everythingIsReservedUntilANodeIsUp() {
        round();
        assertThat(slurm.reservation.orElseThrow().nodes()).isEqualTo(DECLARED.keySet());
        join("n1", "West", "g5.xlarge", "10.0.1.1");
        round();
        String slot = slots.get("n1");
        assertThat(slot).isEqualTo("west-g5-xlarge-1");
        assertThat(slurm.isReserved("west-g5-xlarge-1")).isTrue();
        slurm.registers("west-g5-xlarge-1", "10.0.1.1");
        round();
        assertThat(slurm.isReserved("west-g5-xlarge-1")).isFalse();
        assertThat(round()).isEmpty();
    }

    @Test
    void noNodeGetsASlotOfAnotherSiteOrType() {
        join("n1", "east", "g5.xlarge", "10.0.1.1");
        join("n2", "West", "big", "10.0.1.2");
        join("n3", "West", "big", "10.0.1.3");
        round();
        assertThat(slots).isEqualTo(Map.of("n2", "west-big-1"));
    }

    @Test
    void withAllSlotsUpThereIsNoReservation() {
        int index = 0;
        for (Slots.Slot slot : DECLARED.values()) {
            join("n" + index, slot.site(), slot.type(), "10.0.0." + index);
            index++;
        }
        round();
        boot();
        round();
        assertThat(slurm.reservation).isEmpty();
        assertThat(round()).isEmpty();
        leave("n0");
        round();
        assertThat(slurm.reservation.orElseThrow().nodes()).hasSize(1);
    }

    @Test
    void theReservationIsPutOffBeforeItBeginsSoThatNodesLookPoweredDownAndTheEstimateIsNear() {
        round();
        slurm.now = slurm.now.plusSeconds(10);
        assertThat(round()).isEmpty();
        slurm.now = slurm.now.plusSeconds(15);
        assertThat(round()).containsExactly(new SlurmOrder.Renew(true));
        assertThat(round()).isEmpty();
        // No job is shorter than a minute.
        assertThat(slurm.reservation.orElseThrow().start()).isBetween(slurm.now, slurm.now.plusSeconds(59));
    }

    @Test
    void oneThatHasBegunWhileTheHeadWasAwayIsMadeAnewAndNoNodeIsFreeMeanwhile() {
        round();
        slurm.now = slurm.now.plus(Duration.ofMinutes(5));
        var all = new TreeSet<>(DECLARED.keySet());
        assertThat(round())
                .containsExactly(
                        new SlurmOrder.Bridge(all),
                        new SlurmOrder.Unreserve(),
                        new SlurmOrder.Reserve(all),
                        new SlurmOrder.Unbridge());
        assertThat(slurm.reservation.orElseThrow().start()).isAfter(slurm.now);
        assertThat(slurm.isReserved("west-big-1")).isTrue();
        assertThat(round()).isEmpty();
    }

    @Test
    void aSlotWhoseNodeNeverCameSaysWhy() {
        join("n1", "West", "big", "10.0.1.1");
        round();
        WantedNode before = wanted.get("n1");
        wanted.put("n1", before.draining("gate slurm: no /dev/nvidia0"));
        var said = new SlurmOrder.PowerDown("west-big-1", "gate slurm: no /dev/nvidia0");
        assertThat(round()).contains(said);
        assertThat(plan().vacant()).hasSize(1);
        assertThat(round()).doesNotContain(said);
        leave("n1");
        round();
        slurm.settle("west-big-1");
        round();
        round();
        assertThat(slurm.node("west-big-1").reason).isEqualTo("spillway: gate slurm: no /dev/nvidia0");
        // Another node takes it nevertheless.
        join("n2", "West", "big", "10.0.1.2");
        round();
        assertThat(slots).containsEntry("n2", "west-big-1");
    }

    @Test
    void aNodeThatDrainsIsVacantWhenItsJobsHaveEnded() {
        join("n1", "West", "big", "10.0.1.1");
        round();
        boot();
        round();
        slurm.submit("west-big-1");
        drain("n1");
        round();
        assertThat(slurm.isReserved("west-big-1")).isTrue();
        assertThat(plan().vacant()).isEmpty();
        slurm.node("west-big-1").jobs = 0;
        assertThat(plan().vacant()).containsExactly(wanted.get("n1"));
        join("n1", "West", "big", "10.0.1.1");
        round();
        round();
        assertThat(slurm.node("west-big-1").isUp()).isTrue();
        assertThat(slurm.isReserved("west-big-1")).isFalse();
        assertThat(plan().vacant()).isEmpty();
    }

    @Test
    void aDrainOfOurPrologIsTakenBackAndAnAdministratorsIsNot() {
        join("n1", "West", "big", "10.0.1.1");
        round();
        boot();
        round();
        slurm.node("west-big-1").drained = true;
        slurm.node("west-big-1").reason = "bad fan";
        assertThat(round()).hasSize(1).allMatch(order -> order instanceof SlurmOrder.Members);
        slurm.node("west-big-1").reason = "Prolog error";
        assertThat(round()).containsExactly(new SlurmOrder.Resume("west-big-1"));
        slurm.node("west-big-1").drained = true;
        slurm.node("west-big-1").reason = "Duplicate jobid";
        assertThat(round()).contains(new SlurmOrder.Resume("west-big-1"));
    }

    @Test
    void whatAnAdministratorKeepsFromJobsIsTheirsAndWhatSlurmFindsWrongIsNot() {
        join("n1", "West", "big", "10.0.1.1");
        round();
        slurm.registers("west-big-1", "10.0.1.1");
        PretendedSlurm.Node node = slurm.node("west-big-1");
        assertThat(withheld()).isEmpty();
        node.drained = true;
        node.reason = "under repair";
        assertThat(withheld()).containsExactly(Map.entry("n1", "under repair"));
        // The head drains it, too, and says nothing to Slurm: their reason stays.
        drain("n1");
        assertThat(round()).noneMatch(order -> order instanceof SlurmOrder.Drain);
        assertThat(withheld()).containsExactly(Map.entry("n1", "under repair"));
        for (String its :
                List.of("Low RealMemory", "gres/gpu count reported lower than configured", "Kill task failed")) {
            node.reason = its;
            assertThat(withheld()).as(its).isEmpty();
        }
        node.drained = false;
        node.down = true;
        node.reason = "broken fan";
        assertThat(withheld()).containsExactly(Map.entry("n1", "broken fan"));
    }

    @Test
    void aNodeThatSlurmGaveUpAndThatIsThereServesAgain() {
        join("n1", "West", "big", "10.0.1.1");
        round();
        slurm.registers("west-big-1", "10.0.1.1");
        PretendedSlurm.Node node = slurm.node("west-big-1");
        node.down = true;
        node.reason = "broken fan";
        assertThat(round()).noneMatch(order -> order instanceof SlurmOrder.Resume);
        for (String its : List.of("Node unexpectedly rebooted", "ResumeTimeout reached", "Not responding")) {
            node.down = true;
            node.reason = its + " [slurm@2026-11-26T15:00:00]";
            assertThat(round()).as(its).contains(new SlurmOrder.Resume("west-big-1"));
        }
    }

    private Map<String, String> withheld() {
        return NodePlan.of(DECLARED, wanted, slots, slurm.seen(), complete, slurm.now)
                .withheld();
    }

    @Test
    void aNodeThatLeftUnderAJobIsDownBeforeItIsPoweredDownAndItsAddressIsForgotten() {
        join("n1", "West", "big", "10.0.1.1");
        round();
        boot();
        round();
        slurm.submit("west-big-1");
        leave("n1");
        assertThat(round()).contains(new SlurmOrder.Down("west-big-1"), new SlurmOrder.PowerDown("west-big-1", ""));
        assertThat(round()).isEmpty();
        slurm.settle("west-big-1");
        assertThat(round()).containsExactly(new SlurmOrder.Address("west-big-1", "west-big-1"));
        round();
        assertThat(wanted).isEmpty();
    }

    @Test
    void aRestartedHeadFindsItsSlotsAgainAndTouchesNothingBeforeItKnowsItsNodes() {
        join("n1", "West", "g5.xlarge", "10.0.1.1");
        join("n2", "West", "g5.xlarge", "10.0.1.2");
        round();
        boot();
        round();
        Map<String, String> before = slots;
        slots = Map.of();
        Map<String, WantedNode> known = Map.copyOf(wanted);
        wanted.clear();
        complete = false;
        assertThat(round()).isEmpty();
        wanted.putAll(known);
        complete = true;
        assertThat(round()).isEmpty();
        assertThat(slots).isEqualTo(before);
    }

    @Test
    void aSlotThatNoNodeHasIsDrainedAndThenPoweredDown() {
        slurm.node("east-big-1").power = "";
        slurm.node("east-big-1").jobs = 1;
        round();
        assertThat(slurm.isReserved("east-big-1")).isTrue();
        assertThat(slurm.node("east-big-1").drained).isTrue();
        assertThat(slurm.node("east-big-1").power).isEmpty();
        slurm.node("east-big-1").jobs = 0;
        round();
        assertThat(slurm.node("east-big-1").power).isEqualTo("powering_down");
    }

    /** Whatever happens, in whatever order: no slot has two nodes, no job comes to a node that is not served, and it settles. */
    @Test
    void itConvergesFromEverywhere() {
        for (long seed = first(); seed < first() + SEEDS; seed++) {
            var fresh = new NodePlanTest();
            fresh.drawn(seed);
        }
    }

    private void drawn(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        slurm.restart(true);
        List<String> names = List.copyOf(new TreeSet<>(DECLARED.keySet()));
        for (int step = 0; step < 120; step++) {
            String id = "n" + random.nextInt(8);
            String slot = names.get(random.nextInt(names.size()));
            switch (random.nextInt(13)) {
                case 0, 1 -> {
                    if (!wanted.containsKey(id)) {
                        Slots.Slot like = DECLARED.get(slot);
                        // Few addresses: the provider gives them again.
                        String address = "10.0.0." + random.nextInt(5);
                        if (like != null
                                && wanted.values().stream()
                                        .noneMatch(node -> node.phase() != Phase.LEFT
                                                && node.node().address().equals(address))) {
                            join(id, like.site(), like.type(), address);
                        }
                    }
                }
                case 2 -> drain(id);
                case 3 -> leave(id);
                case 4, 5 -> boot();
                case 6 -> slurm.submit(slot);
                case 7 -> slurm.node(slot).jobs = 0;
                case 8 -> slurm.settle(slot);
                case 9 -> {
                    if (random.nextInt(4) == 0) {
                        slurm.restart(random.nextBoolean());
                    } else if (slurm.node(slot).power.isEmpty()) {
                        slurm.node(slot).drained = true;
                        slurm.node(slot).reason = random.nextBoolean() ? "Prolog error" : "Kill task failed";
                    }
                }
                case 10 -> {
                    if (!slurm.named.remove(slot)) {
                        slurm.named.add(slot);
                    }
                }
                case 11 -> slots = random.nextInt(4) == 0 ? Map.of() : slots;
                default -> slurm.now = slurm.now.plus(Duration.ofMinutes(random.nextInt(90)));
            }
            round();
            check(seed, step);
        }
        slurm.nodes.values().forEach(node -> node.jobs = 0);
        slurm.nodes.values().stream()
                .filter(node -> node.reason.equals("Kill task failed"))
                .forEach(node -> {
                    node.drained = false;
                    node.reason = "";
                });
        int rounds = 0;
        List<SlurmOrder> last;
        do {
            boot();
            names.forEach(slurm::settle);
            last = round();
            check(seed, 1000 + rounds);
            assertThat(++rounds).as("seed %d does not settle: %s", seed, last).isLessThan(20);
        } while (!last.isEmpty() || rounds < 6);
        for (WantedNode node : wanted.values()) {
            assertThat(node.phase()).as("seed %d: %s", seed, node).isNotEqualTo(Phase.LEFT);
            String its = slots.get(node.node().id());
            if (node.phase() == Phase.SERVING && its != null) {
                assertThat(slurm.named.contains(its) || takenOrNotNamed(node))
                        .as("seed %d: %s is idle on %s, and a job waits for another: %s", seed, node, its, slurm.named)
                        .isTrue();
                assertThat(slurm.isGiven(its)).as("seed %d: %s", seed, its).isTrue();
                assertThat(slurm.node(its).isUp()).as("seed %d: %s", seed, its).isTrue();
            }
        }
    }

    /** Whether no slot of its kind is waited for that no node has. */
    private boolean takenOrNotNamed(WantedNode node) {
        return slurm.named.stream()
                .filter(name -> !slots.containsValue(name))
                .map(DECLARED::get)
                .noneMatch(slot -> slot != null
                        && slot.site().equals(node.node().site())
                        && slot.type().equals(node.node().type()));
    }

    private void check(long seed, int step) {
        assertThat(new HashSet<>(slots.values()))
                .as("seed %d, step %d: two nodes on a slot of %s", seed, step, slots)
                .hasSize(slots.size());
        Set<String> served = new HashSet<>();
        slots.forEach((id, slot) -> {
            WantedNode node = wanted.get(id);
            if (node != null
                    && node.phase() == Phase.SERVING
                    && slurm.node(slot).address.equals(node.node().address())) {
                served.add(slot);
            }
        });
        for (String slot : slurm.names()) {
            if (slurm.isGiven(slot)) {
                assertThat(served)
                        .as("seed %d, step %d: %s is not served", seed, step, slot)
                        .contains(slot);
            }
        }
    }

    private static long first() {
        return Long.getLong("spillway.seed", 1);
    }
}
