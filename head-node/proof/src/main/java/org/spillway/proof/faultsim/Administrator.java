package org.spillway.proof.faultsim;

import java.util.List;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.nodes.NodeAction;
import org.spillway.head.loop.nodes.NodeTurn;
import org.spillway.head.loop.nodes.OrderRefused;

/**
 * Makes nodes another category's by hand while things go wrong, busy ones too, and leaves them to the scaler again when it is
 * calm. Draws from a stream of its own. What is refused is no mistake; that a job starts on what it does not need would be.
 */
final class Administrator {
    private final SimWorld world;
    private final Draw draw;
    private final boolean there;

    Administrator(SimWorld world, Draw draw, boolean there) {
        this.world = world;
        this.draw = draw;
        this.there = there;
    }

    void step(Loop loop, Journal journal, boolean faulty) {
        if (!there) {
            return;
        }
        List<NodeRecord> nodes =
                journal.liveNodes().stream().filter(node -> !node.isDirector()).toList();
        if (!faulty) {
            nodes.stream()
                    .filter(node -> node.profile().fixed()
                            || (node.care().next() != null && node.care().next().fixed()))
                    .forEach(node -> told(() -> loop.changeNode(node.id(), NodeAction.UNFIX, world.headNow())));
        } else if (!nodes.isEmpty() && draw.chance(0.02)) {
            String id = nodes.get(draw.between(0, nodes.size() - 1)).id();
            String category = draw.chance(0.5) ? SimImages.OTHER : "";
            NodeTurn turn = new NodeTurn(NodeTurn.Kind.REPURPOSE, category, draw.chance(0.7));
            told(() -> loop.turnNode(id, turn, world.headNow()));
        }
    }

    private static void told(Runnable order) {
        try {
            order.run();
        } catch (OrderRefused refused) {
            // As said above.
        }
    }
}
