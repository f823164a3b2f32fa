package org.spillway.cloud.fleet;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Look;

/**
 * An owned instance that listings do not show as it should be, and what is known besides.
 *
 * @param shown what the latest listing said of it
 * @param firstAt start of the first listing in a row that said so
 * @param lastAt start of the latest
 * @param listings how many said so
 * @param doubted whether one of them lacked too many at once
 * @param askedAt when the provider was last asked by id; null before
 * @param look its latest answer; null before
 */
public record Lapse(
        Shown shown,
        Instant firstAt,
        Instant lastAt,
        int listings,
        boolean doubted,
        @Nullable Instant askedAt,
        @Nullable Look look) {
    /** Words of a listing about an instance that is not as it should be. */
    public enum Shown {
        /** Absent, or said to have ended: either may be its end. */
        GONE,
        ENDING,
        OFF
    }

    Lapse again(Instant startedAt, boolean doubtful) {
        return new Lapse(shown, firstAt, startedAt, listings + 1, doubted || doubtful, askedAt, look);
    }

    Lapse asked(Instant at, Look answer) {
        return new Lapse(shown, firstAt, lastAt, listings, doubted, at, answer);
    }

    boolean isDue(Instant now) {
        return askedAt == null || !now.isBefore(askedAt.plus(FleetRules.ASKED_AGAIN));
    }

    /** The far past before it was asked for. */
    Instant lastAsked() {
        return askedAt == null ? Instant.MIN : askedAt;
    }

    /** Between the first listing that said so and the latest. */
    Duration lasted() {
        return Duration.between(firstAt, lastAt);
    }

    /** The provider, asked by id, denies it or calls it ended. */
    boolean isDenied() {
        return look instanceof Look.Denied || (look instanceof Look.Found(Instance now) && isEnded(now));
    }

    /** The provider, asked by id, shows it as it should be, against the listing. */
    boolean isRefuted() {
        return look instanceof Look.Found(Instance now)
                && switch (shown) {
                    case GONE -> !isEnded(now);
                    case ENDING -> now.state().isLive();
                    case OFF -> !isOff(now.state()) && now.state().isLive();
                };
    }

    static boolean isOff(Instance.State state) {
        return state == Instance.State.STOPPING || state == Instance.State.STOPPED;
    }

    private static boolean isEnded(Instance now) {
        return now.state() == Instance.State.TERMINATED;
    }

    /** Whether it is proven by two kinds of look. */
    public boolean isProven(FleetRules rules) {
        if (isRefuted() || (rules.asksById() && look == null)) {
            return false;
        }
        boolean twice = lasted().compareTo(rules.apart()) >= 0;
        if (shown == Shown.GONE && isDenied()) {
            return !doubted || twice;
        }
        if (shown != Shown.GONE && look != null && !(look instanceof Look.Unsure)) {
            return true;
        }
        return lasted().compareTo(rules.lasting(doubted)) >= 0;
    }
}
