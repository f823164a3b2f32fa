package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.spillway.policy.Money;

/**
 * A decision, for people.
 *
 * @param policy that answered
 * @param version of the policy; empty for one that comes with the release
 * @param saw what it depended on, one fact each
 * @param steps what it did, one sentence each
 * @param limits what kept it from doing more, one sentence each
 * @param launches with what else each could have been
 * @param dry nothing of it was done: it was a dry run
 */
public record DecisionView(
        String id,
        Instant at,
        String policy,
        String version,
        String release,
        List<String> saw,
        List<String> steps,
        List<String> limits,
        List<LaunchChoice> launches,
        boolean dry) {
    /** A decision that was carried out. */
    public DecisionView(
            String id,
            Instant at,
            String policy,
            String version,
            String release,
            List<String> saw,
            List<String> steps,
            List<String> limits,
            List<LaunchChoice> launches) {
        this(id, at, policy, version, release, saw, steps, limits, launches, false);
    }

    public DecisionView {
        saw = List.copyOf(saw);
        steps = List.copyOf(steps);
        limits = List.copyOf(limits);
        launches = List.copyOf(launches);
    }

    /**
     * @param offering what was launched
     * @param count nodes
     * @param cost the most that they are expected to cost
     * @param others the cheapest first, at most five
     * @param more how many further ones could hold the jobs
     */
    public record LaunchChoice(String offering, int count, Money cost, List<OtherChoice> others, int more) {
        public LaunchChoice {
            others = List.copyOf(others);
        }
    }

    /** @param why it was not taken */
    public record OtherChoice(String offering, int count, Money cost, String why) {}
}
