package org.spillway.policy.builtin;

import java.util.List;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;

/** A snapshot as a policy is to see it. */
final class Snapshots {
    private Snapshots() {}

    static ClusterSnapshot with(ClusterSnapshot now, List<Demand> demands, List<NodeView> nodes) {
        return now.with(demands, nodes);
    }

    static NodeView kept(NodeView node) {
        return new NodeView(
                node.id(),
                node.site(),
                node.offering(),
                node.phase(),
                node.total(),
                node.free(),
                node.since(),
                node.pricePerHour(),
                true,
                node.duty());
    }
}
