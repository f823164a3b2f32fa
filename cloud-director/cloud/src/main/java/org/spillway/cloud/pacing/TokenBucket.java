package org.spillway.cloud.pacing;

import java.time.Duration;
import java.time.Instant;
import org.spillway.cloud.RateLimits;

/**
 * A bucket that fills at a steady rate, as providers keep it: in any window of time no more is taken than its size and
 * what flowed in meanwhile. Not safe for several threads; {@link Gate} is.
 */
final class TokenBucket {
    private static final double NANOS = 1e9;
    /** Less than that is a rounding error of the sum. */
    private static final double ROUNDING = 1e-9;

    private final RateLimits.Bucket limits;
    private double level;
    private Instant at;

    TokenBucket(RateLimits.Bucket limits, Instant now) {
        this.limits = limits;
        this.level = limits.size();
        this.at = now;
    }

    /** How long until so many are there. What is more than the bucket holds counts as a full one: it can hold no more. */
    Duration untilHas(int tokens, Instant now) {
        fill(now);
        double missing = needed(tokens) - level;
        return missing <= ROUNDING
                ? Duration.ZERO
                : Duration.ofNanos((long) Math.ceil(missing / limits.perSecond() * NANOS));
    }

    /** Only when {@link #untilHas} says that they are there. */
    void take(int tokens, Instant now) {
        fill(now);
        level = Math.max(Math.min(level, 0), level - needed(tokens));
    }

    /** Of what was sent already: the level may fall below nothing, by half a bucket at most. */
    void charge(long tokens, Instant now) {
        fill(now);
        level = Math.max(-limits.size() / 2.0, level - tokens);
    }

    private double needed(int tokens) {
        return Math.min(tokens, limits.size());
    }

    /** A clock that was set back brings nothing. */
    private void fill(Instant now) {
        if (now.isAfter(at)) {
            double seconds = Duration.between(at, now).toNanos() / NANOS;
            level = Math.min(limits.size(), level + seconds * limits.perSecond());
            at = now;
        }
    }
}
