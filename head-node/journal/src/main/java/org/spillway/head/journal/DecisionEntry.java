package org.spillway.head.journal;

import java.util.List;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Told;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.scaler.plan.Alternatives;
import org.spillway.scaler.plan.Plan;

/**
 * A plan that changed something, with all that it depended on, for replay.
 *
 * @param made by what it was decided; {@link Made#UNKNOWN} in what earlier releases have journalled
 * @param launches what else each launch could have been, in the order of the plan's launches
 * @param dry nothing of it was done, because the configuration said so
 */
public record DecisionEntry(
        String id, ClusterSnapshot snapshot, Plan plan, Made made, List<Alternatives> launches, boolean dry)
        implements Entry {
    static final String KIND = "decision";

    public DecisionEntry {
        made = made == null ? Made.UNKNOWN : made;
        launches = launches == null ? List.of() : List.copyOf(launches);
    }

    /**
     * Besides the snapshot, all that a decision depends on.
     *
     * @param release of Spillway, whose planner it was
     * @param policy that was configured; the plan names the one that answered
     * @param version of that policy: empty for one that comes with the release
     * @param settings of the policy, as JSON
     * @param zone of the times in reasons
     */
    public record Made(String release, String policy, String version, String settings, String zone) {
        public static final Made UNKNOWN = new Made("", "", "", "", "");

        public boolean isKnown() {
            return !policy.isEmpty();
        }
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public String state() {
        return dry ? "DRY" : "APPLIED";
    }

    @Override
    public Cause cause() {
        return Told.of(plan.policy());
    }

    @Override
    public boolean isLive() {
        return false;
    }
}
