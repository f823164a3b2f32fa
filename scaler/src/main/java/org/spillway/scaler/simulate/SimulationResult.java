package org.spillway.scaler.simulate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/**
 * A policy's result on a log.
 *
 * @param policy its label
 * @param jobs that were submitted
 * @param finished of them; the others found no place to run before the simulation gave up
 * @param homeUse share of the GPUs (of the CPUs where there are none) at home that was in use from the first to the last
 *     submission, 0 to 1
 * @param effort what the simulation itself took
 */
public record SimulationResult(
        String policy,
        int jobs,
        int finished,
        Waits waits,
        double homeUse,
        Cloud cloud,
        Deadlines deadlines,
        Effort effort,
        List<Use> uses,
        List<Sample> samples) {
    public SimulationResult {
        uses = List.copyOf(uses);
        samples = List.copyOf(samples);
    }

    /**
     * From submission to end but for the run that counted, in seconds.
     *
     * @param slowdown mean bounded slowdown: (wait + run) / max(run, 10 s), at least 1
     */
    public record Waits(double mean, double median, double p95, double longest, double slowdown, double slowdownP95) {}

    /**
     * @param nodeHours from launch to end
     * @param idleHours of them in which a node was ready and had no job
     * @param idleCost what those cost
     * @param bootHours of them in which a node was not ready yet
     * @param reclaimed nodes that the provider took back
     * @param lostJobs runs that ended with such a node
     * @param refused launches of which less was had than was asked
     */
    public record Cloud(
            double nodeHours,
            double idleHours,
            Money idleCost,
            double bootHours,
            Money cost,
            int launched,
            int refused,
            int reclaimed,
            int lostJobs) {}

    /** Jobs that had one, and those that ended by it. */
    public record Deadlines(int met, int of) {}

    /**
     * @param ticks that the head would have had
     * @param decisions of them in which something could have changed, so that the policy was asked
     * @param changes of those that launched or released something
     * @param failures in which the policy threw
     */
    public record Effort(long ticks, long decisions, long changes, long failures, Duration took) {}

    /** Use of an offering. */
    public record Use(OfferingId offering, long launched, int refused, double nodeHours, Money cost) {}

    /** At one time; {@code cloudNodes} with those on the way. */
    public record Sample(
            Instant at, int waitingJobs, int waitingNodes, double homeUse, int cloudNodes, int cloudBusy, Money cost) {}
}
