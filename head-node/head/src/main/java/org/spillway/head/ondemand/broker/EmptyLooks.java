package org.spillway.head.ondemand.broker;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Looks at children's sites that found nothing. In memory only: a head that starts again looks twice again. */
final class EmptyLooks {
    /** An empty look before such a pause is nothing to go by. */
    private static final Duration FORGOTTEN = Duration.ofMinutes(10);

    private final Map<String, Run> runs = new ConcurrentHashMap<>();
    private final InstantSource clock;

    EmptyLooks(InstantSource clock) {
        this.clock = clock;
    }

    /** Empty looks in a row, by their ends. */
    private record Run(Instant first, Instant last) {}

    /**
     * @param empty whether this look found nothing
     * @param apart so long empty looks in a row have to last
     * @return whether they have
     */
    boolean isProven(String place, boolean empty, Duration apart) {
        if (!empty) {
            runs.remove(place);
            return false;
        }
        Instant now = clock.instant();
        Run run = runs.merge(
                place,
                new Run(now, now),
                (before, one) -> now.isAfter(before.last().plus(FORGOTTEN)) ? one : new Run(before.first(), now));
        return !now.isBefore(run.first().plus(apart));
    }
}
