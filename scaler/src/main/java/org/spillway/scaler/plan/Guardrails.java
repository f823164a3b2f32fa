package org.spillway.scaler.plan;

import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Wish;

/**
 * Turns what a policy wishes into what may be done. Limits are checked before anything is launched, as the least of: what
 * was asked for, the offering's health, the site's nodes, and the budget. A launch reserves the price of the longest
 * walltime of the shapes that it is for (an hour for pre-warmed nodes) plus the boot, at once. Nodes of a gang are
 * launched in whole gangs or not at all. Nothing is released that is not idle, is kept, or is at home.
 *
 * <p>Each shape that gets no launch and has not enough room on existing nodes gets one {@link Step.Hold}.
 */
public final class Guardrails {
    private static final Bound NOTHING_ASKED = new Bound(Bound.Kind.POLICY, "", "the policy asked for nothing");

    private final ZoneId zone;

    /** @param zone of the times in reasons */
    public Guardrails(ZoneId zone) {
        this.zone = zone;
    }

    /**
     * @param wishes most important first
     * @param onExisting node slots of each shape that find room on nodes that exist, as packed without buying
     * @return launches and releases in the order of the wishes, then holds, the oldest demand first
     */
    public Plan plan(ClusterSnapshot snapshot, String policy, List<Wish> wishes, Map<String, Integer> onExisting) {
        WishCutter cutter = new WishCutter(snapshot, zone);
        wishes.forEach(cutter::add);
        return new Plan(snapshot.now(), policy, cutter.steps(onExisting, NOTHING_ASKED));
    }

    /** A plan that changes nothing, because the policy gave no answer. */
    public Plan withoutAnswer(
            ClusterSnapshot snapshot, String policy, String failure, Map<String, Integer> onExisting) {
        WishCutter cutter = new WishCutter(snapshot, zone);
        Bound why = new Bound(Bound.Kind.POLICY_FAILED, policy, failure);
        cutter.refuse(why);
        return new Plan(snapshot.now(), policy, cutter.steps(onExisting, why));
    }
}
