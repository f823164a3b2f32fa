package org.spillway.head.loop.sites;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

final class DirectorEndTest {
    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");
    private static final Offering OFFERING = Offering.of(
            new OfferingId("east", "a", "std", Market.ON_DEMAND), Resources.of(4, 8L << 30, 0), Money.parse("1"));

    private static NodeRecord in(NodeState state) {
        return DirectorScene.coming("d", OFFERING, NOON).to(state, Cause.NONE, NOON);
    }

    private static DirectorEnd.Wish wish(boolean needed, boolean releasing) {
        return new DirectorEnd.Wish(needed, releasing, false, false, needed ? null : NOON, Duration.ofMinutes(10));
    }

    private static DirectorEnd.Wish lacking(boolean budget, boolean trials) {
        return new DirectorEnd.Wish(true, false, budget, trials, null, Duration.ofMinutes(10));
    }

    /** M5: {@code stop --release --wait} left one that was PROVISIONING. */
    @Test
    void aHeadThatReleasesAllEndsItInEveryState() {
        for (NodeState state : new NodeState[] {NodeState.BOOTING, NodeState.PROVISIONING, NodeState.JOINING}) {
            for (boolean needed : new boolean[] {true, false}) {
                NodeRecord next = new DirectorEnd(in(state), wish(needed, true), NOON)
                        .next()
                        .orElseThrow();
                assertThat(next.nodeState()).isEqualTo(NodeState.TERMINATING);
                assertThat(next.cause()).isEqualTo(NodeFact.RELEASED);
            }
        }
        assertThat(new DirectorEnd(in(NodeState.READY), wish(false, true), NOON)
                        .next()
                        .map(NodeRecord::nodeState))
                .contains(NodeState.DRAINING);
        assertThat(new DirectorEnd(in(NodeState.READY), wish(true, true), NOON).next())
                .as("results are on their way home")
                .isEmpty();
    }

    @Test
    void nobodyNeedsItForAsLongAsItIsKept() {
        for (NodeState state :
                new NodeState[] {NodeState.BOOTING, NodeState.PROVISIONING, NodeState.JOINING, NodeState.READY}) {
            DirectorEnd soon = new DirectorEnd(in(state), wish(false, false), NOON.plusSeconds(599));
            assertThat(soon.next()).isEmpty();
            DirectorEnd late = new DirectorEnd(in(state), wish(false, false), NOON.plusSeconds(600));
            assertThat(late.next().map(NodeRecord::cause)).contains(NodeFact.IDLE);
        }
    }

    @Test
    void moneyEndsItInEveryState() {
        for (NodeState state : new NodeState[] {NodeState.BOOTING, NodeState.PROVISIONING, NodeState.JOINING}) {
            assertThat(new DirectorEnd(in(state), lacking(true, false), NOON)
                            .next()
                            .map(NodeRecord::cause))
                    .contains(NodeFact.OVER_BUDGET);
            assertThat(new DirectorEnd(in(state), lacking(false, true), NOON)
                            .next()
                            .map(NodeRecord::cause))
                    .contains(NodeFact.TRIALS_SPENT);
        }
    }

    @Test
    void oneThatDrainsServesAgainUnlessItWasRemoved() {
        NodeRecord draining = in(NodeState.READY).to(NodeState.DRAINING, NodeFact.IDLE, NOON);
        assertThat(new DirectorEnd(draining, wish(true, false), NOON).next().map(NodeRecord::nodeState))
                .contains(NodeState.READY);
        NodeRecord removed = draining.to(NodeState.DRAINING, NodeFact.REMOVED_BY_HAND, NOON);
        assertThat(new DirectorEnd(removed, wish(true, false), NOON).next()).isEmpty();
    }
}
