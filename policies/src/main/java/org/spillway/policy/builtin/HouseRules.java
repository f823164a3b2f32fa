package org.spillway.policy.builtin;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.spillway.policy.Setting;

/**
 * Rules that hold on a head whatever policy decides, a plugin too. All of it is off by default.
 *
 * @param neverTerminateNodes names of nodes that are never released, as {@code a,b}
 * @param neverTerminateSites sites of which no node is released, as {@code a,b}
 * @param keepRunning nodes of a site that stay though idle, once bought, as {@code site=2}
 * @param wholeTime the length of time that a provider bills once it has begun; 0, the default, where seconds are billed
 * @param stoppingAllowance how long before the end of such a time a node may be released, at most that time; default 3 min
 * @param mixLocations whether nodes for one queue may be bought in several sites at once; default true
 * @param ageFactor of the priority, per second of waiting
 * @param externalPriorityFactor of the priority, on the workload manager's own
 * @param engineFactor of the priority, on {@code queuePriorities}
 * @param queuePriorities by queue, as {@code queue=10}; a queue that is missing has 0
 */
public record HouseRules(
        @Setting("names of nodes that are never released, as a,b")
        String neverTerminateNodes,

        @Setting("sites of which no node is released, as a,b")
        String neverTerminateSites,

        @Setting("how many bought nodes of a site stay though idle, as site=2; it buys none")
        String keepRunning,

        @Setting("the length of time that is billed once begun: nodes go at its end only; 0s where seconds are billed")
        Duration wholeTime,

        @Setting("how long before the end of wholeTime a node may be released; 0s to wholeTime, where that is set")
        Duration stoppingAllowance,

        @Setting("whether nodes for one queue may be bought in several sites")
        boolean mixLocations,

        @Setting("what a second of waiting counts in a shape's priority; 0 to 1000000")
        int ageFactor,

        @Setting("what the workload manager's own priority counts; 0 to 1000000")
        int externalPriorityFactor,

        @Setting("what queuePriorities count; 0 to 1000000") int engineFactor,

        @Setting("priorities of queues, as queue=10; others have 0")
        String queuePriorities) {
    public static final HouseRules NONE =
            new HouseRules("", "", "", Duration.ZERO, Duration.ofMinutes(3), true, 0, 0, 0, "");

    private static final int MOST_FACTOR = 1_000_000;

    public HouseRules {
        Check.names("neverTerminateNodes", neverTerminateNodes);
        Check.names("neverTerminateSites", neverTerminateSites);
        Check.numbers("keepRunning", 0, 10_000, keepRunning);
        Check.notNegative("wholeTime", wholeTime);
        Check.notNegative("stoppingAllowance", stoppingAllowance);
        if (!wholeTime.isZero() && stoppingAllowance.compareTo(wholeTime) > 0) {
            throw new IllegalArgumentException(
                    "stoppingAllowance is " + stoppingAllowance + ", longer than wholeTime (" + wholeTime + ")");
        }
        Check.within("ageFactor", 0, MOST_FACTOR, ageFactor);
        Check.within("externalPriorityFactor", 0, MOST_FACTOR, externalPriorityFactor);
        Check.within("engineFactor", 0, MOST_FACTOR, engineFactor);
        Check.numbers("queuePriorities", -1_000_000, 1_000_000, queuePriorities);
    }

    Set<String> nodes() {
        return Check.names("neverTerminateNodes", neverTerminateNodes);
    }

    Set<String> sites() {
        return Check.names("neverTerminateSites", neverTerminateSites);
    }

    Map<String, Long> running() {
        return Check.numbers("keepRunning", 0, 10_000, keepRunning);
    }

    Map<String, Long> priorities() {
        return Check.numbers("queuePriorities", -1_000_000, 1_000_000, queuePriorities);
    }

    /** Whether shapes are put into an order of their own; otherwise they stay in the policy's. */
    boolean orders() {
        return ageFactor > 0 || externalPriorityFactor > 0 || engineFactor > 0;
    }
}
