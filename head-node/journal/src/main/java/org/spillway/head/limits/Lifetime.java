package org.spillway.head.limits;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.spillway.policy.Money;

/**
 * The life of a cluster on demand, as its own head knows it: when it ends, and what its head costs besides its nodes. Pure.
 *
 * @param ends when its parent removes it
 * @param headPerHour price of its head's machine, which is not among this head's own nodes
 * @param headSince since when that counts
 */
public record Lifetime(Instant ends, Money headPerHour, Instant headSince) {
    /** Kept before the end for bringing results home: a part of the time that there is, and at most so much. */
    private static final Duration MOST_HOMEWARD = Duration.ofMinutes(1);

    private static final int HOMEWARD_PART = 20;
    /** A walltime is cut to no less: a shorter one would be of no use. */
    private static final Duration LEAST = Duration.ofMinutes(1);

    private static final Duration LONGEST = Duration.ofDays(3650);

    /** How long a job may run that begins now, by the time and by the money there are; never negative. */
    public record Bounds(Duration byLife, Duration byMoney) {
        public Duration shorter() {
            return byLife.compareTo(byMoney) < 0 ? byLife : byMoney;
        }

        /** The part of a walltime that nobody asked for that there is time and money for, in whole minutes; one at least. */
        public Duration cut(Duration usual) {
            Duration most = shorter().compareTo(LEAST) < 0 ? LEAST : shorter().truncatedTo(ChronoUnit.MINUTES);
            return usual.compareTo(most) < 0 ? usual : most;
        }
    }

    public Lifetime endingAt(Instant end) {
        return new Lifetime(end, headPerHour, headSince);
    }

    /**
     * @param left of the budget, without what nodes have reserved
     * @param nodesPerHour price of all nodes that there are: all of them cost while one runs a job
     * @param reserved besides a job's walltime, for each node
     */
    public Bounds bounds(Instant now, Money left, Money nodesPerHour, Duration reserved) {
        Duration rest = Duration.between(now, ends);
        Duration homeward = rest.dividedBy(HOMEWARD_PART);
        Duration byLife = rest.minus(homeward.compareTo(MOST_HOMEWARD) < 0 ? homeward : MOST_HOMEWARD);
        Money money = left.minus(
                now.isAfter(headSince) ? headPerHour.perHourFor(Duration.between(headSince, now)) : Money.ZERO);
        Money rate = nodesPerHour.plus(headPerHour);
        Duration byMoney = rate.micros() <= 0 ? LONGEST : lasting(money, rate).minus(reserved);
        return new Bounds(atLeastNothing(byLife), atLeastNothing(byMoney));
    }

    private static Duration lasting(Money money, Money perHour) {
        BigInteger seconds = BigInteger.valueOf(Math.max(0, money.micros()))
                .multiply(BigInteger.valueOf(3600))
                .divide(BigInteger.valueOf(perHour.micros()));
        return Duration.ofSeconds(
                seconds.min(BigInteger.valueOf(LONGEST.toSeconds())).longValueExact());
    }

    private static Duration atLeastNothing(Duration time) {
        return time.isNegative() ? Duration.ZERO : Duration.ofSeconds(time.toSeconds());
    }
}
