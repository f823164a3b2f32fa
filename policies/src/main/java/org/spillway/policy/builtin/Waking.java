package org.spillway.policy.builtin;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.NodeView;

/** When a policy has to be asked again although nothing happened: for {@code ScalingPolicy.nextChange}. */
final class Waking {
    private Waking() {}

    /** When the next idle node has been idle for that long. */
    static Stream<Instant> idle(ClusterSnapshot now, Duration idleTime) {
        return now.nodes().stream()
                .filter(node -> node.phase() == NodeView.Phase.IDLE && node.offering() != null && !node.keep())
                .map(node -> node.since().plus(idleTime));
    }

    /** When the next shape has waited for that long. */
    static Stream<Instant> age(ClusterSnapshot now, Duration age) {
        return now.demands().stream().map(demand -> demand.oldestSubmit().plus(age));
    }

    /** The first that is still to come. */
    static Optional<Instant> first(ClusterSnapshot now, Stream<Instant> times) {
        return times.filter(time -> time.isAfter(now.now())).min(Comparator.naturalOrder());
    }
}
