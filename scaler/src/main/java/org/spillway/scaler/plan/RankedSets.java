package org.spillway.scaler.plan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.spillway.policy.Demand;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Wish;

/**
 * The offerings behind that of each launch of a plan: the further ones of its wish, in the wish's order. The sets
 * are made when all launches have been granted, of what these have left of the limits, so that no set costs a launch.
 * Lives within one decision.
 */
final class RankedSets {
    /** A provider's one call has room for more, and hardly a site has more zones times types that do the same. */
    private static final int MOST = 15;

    private final List<Open> all = new ArrayList<>();

    private record Open(int step, List<OfferingId> wished, List<Demand> waiting, Duration time) {}

    /** @param step the launch's place in the plan */
    void expect(int step, Wish.Provision wish, List<Demand> waiting, Duration time) {
        // Nodes of a gang are all of one kind, in one place.
        if (waiting.stream().allMatch(demand -> demand.nodes() == 1)) {
            all.add(new Open(step, wish.offerings(), waiting, time));
        }
    }

    void fill(List<Step> steps, LaunchGate gate) {
        for (Open open : all) {
            if (steps.get(open.step) instanceof Step.Launch launch && launch.group() == null) {
                LaunchGate.Ranks ranks = gate.ranks(launch, open.waiting, open.time);
                for (OfferingId id : open.wished) {
                    if (ranks.size() < MOST) {
                        ranks.offer(id);
                    }
                }
                steps.set(open.step, launch.with(ranks.behind()));
            }
        }
        all.clear();
    }
}
