package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Time as it has passed since the head was started, from what the machine's clock said then. A clock that is set while
 * the head runs would else end leases that are good, or put off the renewal of all of them; and one that is set back
 * before a start would make what was journalled lie in the future. Any thread.
 */
public final class SteadyClock implements InstantSource {
    /** A journal that is further ahead of the machine's clock was written by a wrong one. */
    static final Duration BELIEVED = Duration.ofDays(1);

    private static final Duration WORTH_A_WORD = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);

    private final InstantSource machine;
    private final LongSupplier nanos;
    private final Instant origin;
    private final long originNanos;
    private final AtomicReference<Duration> known;

    private SteadyClock(InstantSource machine, LongSupplier nanos, Instant origin) {
        this.machine = machine;
        this.nanos = nanos;
        this.originNanos = nanos.getAsLong();
        this.origin = origin;
        this.known = new AtomicReference<>(Duration.between(origin, machine.instant()));
    }

    /**
     * @param machine its clock
     * @param nanos of a counter that nobody sets
     * @param latest what was journalled last; the time begins no earlier, so that steps stay in their order
     */
    public static SteadyClock from(InstantSource machine, LongSupplier nanos, Optional<Instant> latest) {
        Instant now = machine.instant();
        Instant last = latest.orElse(now);
        Duration behind = Duration.between(now, last);
        boolean believed = behind.compareTo(BELIEVED) <= 0;
        if (behind.compareTo(WORTH_A_WORD) > 0) {
            LOG.warn(
                    "this machine's clock says {}, {} s before the last step in the journal: {}; set the clock (NTP), then"
                            + " start the head again",
                    now,
                    behind.toSeconds(),
                    believed ? "the head goes on from that step" : "the head goes by the clock");
        }
        return new SteadyClock(machine, nanos, last.isAfter(now) && believed ? last : now);
    }

    @Override
    public Instant instant() {
        Instant now = origin.plusNanos(nanos.getAsLong() - originNanos);
        Duration apart = Duration.between(now, machine.instant());
        Duration before = known.get();
        Duration step = apart.minus(before);
        if (step.abs().compareTo(WORTH_A_WORD) > 0 && known.compareAndSet(before, apart)) {
            LOG.warn(
                    "this machine's clock was set {} by {} s while the head runs: leases and waits go on by the time that"
                            + " has passed, and the head's times are {} s off the clock's until it is started again",
                    step.isNegative() ? "back" : "forward",
                    step.abs().toSeconds(),
                    apart.abs().toSeconds());
        }
        return now;
    }

    /** The machine's clock is so much ahead of the head's time, as last seen; negative when it is behind. */
    public Duration offset() {
        return known.get();
    }
}
