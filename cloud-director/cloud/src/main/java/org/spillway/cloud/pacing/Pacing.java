package org.spillway.cloud.pacing;

import java.time.Duration;

/**
 * How patiently a provider is asked.
 *
 * @param longestWait for tokens and for a free line, for each try of a call; what would wait longer is refused without
 *     being made
 * @param attempts how often a throttled call is made in all, 1 or more
 * @param firstPause the most that is waited before the second attempt; doubled with each further one
 * @param longestPause where the doubling ends
 * @param callsInFlight at a time for one site's account
 */
public record Pacing(
        Duration longestWait, int attempts, Duration firstPause, Duration longestPause, int callsInFlight) {
    public static final Pacing USUAL =
            new Pacing(Duration.ofSeconds(30), 4, Duration.ofMillis(500), Duration.ofSeconds(8), 16);

    public Pacing {
        if (longestWait.isNegative() || attempts < 1 || firstPause.isNegative() || callsInFlight < 1) {
            throw new IllegalArgumentException("waits are never negative, attempts and calls are 1 or more");
        }
        if (longestPause.compareTo(firstPause) < 0) {
            throw new IllegalArgumentException("longestPause " + longestPause + " is below firstPause " + firstPause);
        }
    }

    /** The most that is waited after that many throttled attempts, 1 or more. */
    Duration mostAfter(int failures) {
        Duration most = firstPause;
        for (int i = 1; i < failures && most.compareTo(longestPause) < 0; i++) {
            most = most.multipliedBy(2);
        }
        return most.compareTo(longestPause) < 0 ? most : longestPause;
    }
}
