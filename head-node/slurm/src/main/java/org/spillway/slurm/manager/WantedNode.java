package org.spillway.slurm.manager;

import org.spillway.head.workload.JoinedNode;

/** The head's wish for one of its nodes. @param reason why it drains; empty when it does not */
record WantedNode(JoinedNode node, Phase phase, String reason) {
    enum Phase {
        SERVING,
        DRAINING,
        /** The node is no more, and its slot is not free again yet. */
        LEFT
    }

    static WantedNode serving(JoinedNode node) {
        return new WantedNode(node, Phase.SERVING, "");
    }

    WantedNode draining(String why) {
        return new WantedNode(node, Phase.DRAINING, why);
    }

    WantedNode left() {
        return new WantedNode(node, Phase.LEFT, reason);
    }
}
