package org.spillway.scaler.simulate.report;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.spillway.policy.builtin.AgePolicy;
import org.spillway.policy.builtin.AgeSettings;
import org.spillway.scaler.simulate.PolicyChoice;
import org.spillway.scaler.simulate.SimulationResult;

/**
 * The plain threshold policy at twenty points, against which another policy is held: thresholds of the queue's length
 * times thresholds of age, those that an administrator might try.
 */
public final class Sweep {
    private static final int[] LENGTHS = {0, 3, 10, 30, 100};
    private static final Duration[] AGES = {
        Duration.ZERO, Duration.ofMinutes(2), Duration.ofMinutes(15), Duration.ofHours(1)
    };

    private Sweep() {}

    public static List<PolicyChoice<AgeSettings>> points() {
        List<PolicyChoice<AgeSettings>> points = new ArrayList<>();
        for (int length : LENGTHS) {
            for (Duration age : AGES) {
                points.add(new PolicyChoice<>(
                        "age " + length + " jobs, " + age.toMinutes() + " min",
                        new AgePolicy(),
                        AgeSettings.thresholds(length, age)));
            }
        }
        return points;
    }

    /** Whether one is no worse than the other in cost and in the 95th percentile of waiting, and better in one of them. */
    public static boolean dominates(SimulationResult one, SimulationResult other) {
        int cost = one.cloud().cost().compareTo(other.cloud().cost());
        int wait = Double.compare(one.waits().p95(), other.waits().p95());
        boolean complete = one.finished() == one.jobs();
        return complete && cost <= 0 && wait <= 0 && (cost < 0 || wait < 0);
    }

    /** The results that none of the others dominates. */
    public static List<SimulationResult> best(List<SimulationResult> results) {
        return results.stream()
                .filter(one -> results.stream().noneMatch(other -> dominates(other, one)))
                .toList();
    }
}
