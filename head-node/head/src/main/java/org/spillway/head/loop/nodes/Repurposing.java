package org.spillway.head.loop.nodes;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.settings.Roles;
import org.spillway.scaler.plan.Step;

/**
 * Another that a node becomes. What it is to be lies in the journal before anybody is told; the node leaves service with
 * that commit, is told by directives until it says that it passed its gate in that turn, and is ended when it does not in
 * time. So it is never both, whatever dies on the way. Pure.
 */
public final class Repurposing {
    private Repurposing() {}

    /** @param node to be committed, when its manager has been told that it gets no further jobs, and {@code why} */
    public record Turned(NodeRecord node, Cause why) {}

    public static Turned into(NodeRecord node, Step.Repurpose step, Roles roles, Instant now) {
        return turned(
                node,
                node.profile().turnedInto(step.category(), roles.overlays(step.category())),
                new NodeCause.Repurposed(step.category(), new NodeCause.Planned(step.reason())),
                now);
    }

    public static Turned overlay(NodeRecord node, Step.Overlay step, Instant now) {
        return turned(
                node,
                overlaid(node.profile(), step.overlay(), step.join()),
                new NodeCause.Overlaid(step.overlay(), step.join(), new NodeCause.Planned(step.reason())),
                now);
    }

    private static Turned turned(NodeRecord node, NodeRecord.Profile next, Cause why, Instant now) {
        return new Turned(node.repurposed(next, why, now), why);
    }

    static NodeRecord.Profile overlaid(NodeRecord.Profile profile, String overlay, boolean join) {
        List<String> overlays = new ArrayList<>(profile.overlays());
        overlays.remove(overlay);
        if (join) {
            overlays.add(overlay);
        }
        return profile.turnedInto(profile.category(), overlays);
    }
}
