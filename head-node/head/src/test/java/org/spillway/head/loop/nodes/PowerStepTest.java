package org.spillway.head.loop.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.Samples;
import org.spillway.head.loop.settings.IdleNodes;
import org.spillway.policy.Money;

/** Nodes that are stopped and started, by their state, what is seen of their instance, and for how long. */
final class PowerStepTest {
    private static final IdleNodes IDLE =
            new IdleNodes(true, Duration.ofMinutes(20), Map.of("small", Money.parse("0.36")));

    private static PowerStep step(NodeRecord node, Instance.State seen, boolean stays) {
        return PowerStep.of(node, seen, stays, IDLE, Samples.NOW);
    }

    private static NodeRecord poweredOn() {
        return Powering.on(Samples.node("n", NodeState.STOPPED), NodeFact.BY_HAND, Samples.NOW);
    }

    @ParameterizedTest
    @CsvSource({
        "STOPPING, RUNNING, CallStop",
        "STOPPING, PENDING, CallStop",
        "STOPPING, STOPPING, Rest",
        "STOPPING, STOPPED, Stopped",
        "STOPPING, TERMINATED, Rest",
        "STOPPED, STOPPED, Rest",
        "READY, STOPPED, Rest",
        "BOOTING, STOPPED, Rest"
    })
    void followsWhatIsSeen(NodeState state, Instance.State seen, String expected) {
        assertThat(step(Samples.node("n", state), seen, false).getClass().getSimpleName())
                .isEqualTo(expected);
    }

    @Test
    void aNodeThatWasPoweredOnIsStartedOnceItIsOff() {
        assertThat(step(poweredOn(), Instance.State.STOPPED, false)).isEqualTo(new PowerStep.CallStart("instance-n"));
        assertThat(step(poweredOn(), Instance.State.STOPPING, false)).isEqualTo(new PowerStep.Rest());
        assertThat(PowerStep.of(poweredOn(), null, false, IDLE, Samples.NOW)).isEqualTo(new PowerStep.Rest());
    }

    @Test
    void aStoppedNodeCostsWhatItsSiteSays() {
        PowerStep stopped = step(Samples.node("n", NodeState.STOPPING), Instance.State.STOPPED, false);
        assertThat(stopped).isInstanceOfSatisfying(PowerStep.Stopped.class, it -> {
            assertThat(it.next().nodeState()).isEqualTo(NodeState.STOPPED);
            assertThat(it.next().pricePerHour()).isEqualTo(Samples.SMALL.pricePerHour());
            assertThat(it.next().purchase().stops()).hasSize(1);
        });
    }

    @Test
    void anOldOneIsEndedUnlessItStays() {
        NodeRecord stopped = Samples.node("n", NodeState.STOPPED);
        IdleNodes brief = new IdleNodes(true, Duration.ofMinutes(9), Map.of());
        PowerStep ended = PowerStep.of(stopped, Instance.State.STOPPED, false, brief, Samples.NOW);
        assertThat(ended)
                .isEqualTo(new PowerStep.End(
                        stopped.to(NodeState.TERMINATING, new NodeCause.StoppedTooLong(540), Samples.NOW)));
        assertThat(PowerStep.of(stopped, Instance.State.STOPPED, true, brief, Samples.NOW))
                .isEqualTo(new PowerStep.Rest());
        NodeRecord parked = stopped.withCare(new NodeRecord.Care(false, true, null));
        assertThat(PowerStep.of(parked, Instance.State.STOPPED, false, brief, Samples.NOW))
                .isEqualTo(new PowerStep.Rest());
    }
}
