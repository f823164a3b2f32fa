package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A slurmctld that has just read slurm.conf gives no job a node that nobody has bought. */
final class ClosedPartitionsTest {
    private static final Map<String, Slots.Slot> DECLARED = Map.of(
            "west-big-1", new Slots.Slot("west-big-1", "west", "big", 1),
            "west-small-1", new Slots.Slot("west-small-1", "west", "small", 1));

    private final PretendedSlurm slurm = new PretendedSlurm(DECLARED.keySet());
    private boolean complete = true;

    @BeforeEach
    void started() {
        slurm.restart(true);
    }

    private List<SlurmOrder> round() {
        List<SlurmOrder> orders = NodePlan.of(DECLARED, Map.of(), Map.of(), slurm.seen(), complete, slurm.now)
                .orders();
        orders.forEach(slurm::apply);
        return orders;
    }

    @Test
    void noJobIsGivenAnyNodeBeforeTheReservationStands() {
        assertThat(slurm.isGiven("west-big-1")).isFalse();
        assertThat(round()).hasSize(1).allMatch(order -> order instanceof SlurmOrder.Reserve);
        assertThat(slurm.isOpen).isFalse();
        assertThat(round()).containsExactly(new SlurmOrder.Open("west"));
        assertThat(round()).isEmpty();
        // A slurmctld that was killed comes back without what it was told last.
        slurm.restart(true);
        assertThat(slurm.isGiven("west-big-1")).isFalse();
        round();
        assertThat(slurm.isOpen).isFalse();
        round();
        assertThat(slurm.isOpen).isTrue();
    }

    @Test
    void aPartitionIsNotOpenedByAHeadThatHasNotSaidItsNodesYetNorOverAReservationThatEnds() {
        complete = false;
        round();
        assertThat(round()).isEmpty();
        complete = true;
        SlurmReservation there = slurm.reservation.orElseThrow();
        slurm.reservation =
                Optional.of(new SlurmReservation(there.nodes(), slurm.now.plusSeconds(40), slurm.now.plusSeconds(50)));
        assertThat(round()).noneMatch(order -> order instanceof SlurmOrder.Open);
        assertThat(round()).containsExactly(new SlurmOrder.Open("west"));
    }

    @Test
    void whatAnAdministratorHasClosedStaysSo() {
        round();
        round();
        slurm.isOpen = false;
        assertThat(round()).isEmpty();
    }

    @Test
    void nodesThatOnlySlurmConfKnowsAreHeldToo() {
        slurm.nodes.put("west-big-2", new PretendedSlurm.Node("west-big-2"));
        round();
        assertThat(slurm.isReserved("west-big-2")).isTrue();
        assertThat(round()).containsExactly(new SlurmOrder.Open("west"));
        slurm.nodes.put("west-big-3", new PretendedSlurm.Node("west-big-3"));
        slurm.restart(false);
        assertThat(round()).hasSize(1).allMatch(order -> order instanceof SlurmOrder.Members);
        round();
        assertThat(slurm.isReserved("west-big-3")).isTrue();
        assertThat(slurm.isOpen).isTrue();
    }
}
