package org.spillway.cloud.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.RateLimits.Bucket;
import org.spillway.cloud.Site;
import org.spillway.policy.Offering;

/** Finding C3: a listing counted once, whatever its pages. */
final class MeteredSiteTest {
    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");
    private final AtomicReference<Instant> now = new AtomicReference<>(NOON);
    private final CallMeter meter = new CallMeter(now::get);

    /** Each listing is of so many pages. */
    private final class Paged implements Site, Compute {
        private final int pages;

        Paged(int pages) {
            this.pages = pages;
        }

        @Override
        public List<Instance> list() {
            for (int page = 0; page < pages; page++) {
                meter.sent(CallMeter.Kind.READ);
            }
            return List.of();
        }

        @Override
        public Optional<CallMeter> calls() {
            return Optional.of(meter);
        }

        @Override
        public RateLimits rateLimits() {
            return new RateLimits(new Bucket(10, 1), new Bucket(10, 1), new Bucket(20, 2));
        }

        @Override
        public Compute compute() {
            return this;
        }

        @Override
        public Diagnostics diagnostics() {
            return needs -> List.of();
        }

        @Override
        public List<Offering> offerings() {
            return List.of();
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void terminate(Collection<String> instanceIds) {}

        @Override
        public Optional<Lookup> lookup() {
            return Optional.empty();
        }

        @Override
        public Duration consistencyWindow() {
            return Duration.ZERO;
        }

        @Override
        public void close() {}
    }

    private long readsIn(Duration time, int pages) throws CloudException {
        PacedSite paced = new PacedSite(
                new Paged(pages),
                Pacing.USUAL,
                now::get,
                pause -> now.set(now.get().plus(pause)),
                () -> 0);
        while (now.get().isBefore(NOON.plus(time))) {
            paced.compute().list();
        }
        return meter.total(CallMeter.Kind.READ);
    }

    @Test
    void everyPageIsTakenFromTheAllowance() throws CloudException {
        // Two a second, what a full bucket holds, and one listing that has begun.
        assertThat(readsIn(Duration.ofMinutes(5), 7)).isBetween(500L, 600L + 20 + 7 + 10);
    }

    @Test
    void aListingOfOnePageIsPaidOnce() throws CloudException {
        assertThat(readsIn(Duration.ofMinutes(5), 1)).isBetween(600L, 600L + 20 + 1);
    }
}
