package org.spillway.head.loop.state;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;

/**
 * Ends that a site's provider was asked for: each is asked for again after a pause that grows, since neither a lock nor a
 * deletion under way goes sooner for being asked. In memory: a head that starts again asks at once. Loop thread only.
 */
public final class Unended {
    private static final Duration FIRST = Duration.ofSeconds(2);
    /** An accepted end may have been lost by the provider. */
    private static final Duration LONGEST_ACCEPTED = Duration.ofSeconds(30);

    private static final Duration LONGEST_REFUSED = Duration.ofMinutes(5);
    /** Whose end was not asked for in so long a time has ended. */
    private static final Duration KEPT = LONGEST_REFUSED.multipliedBy(2);

    private final Map<String, Row> rows = new HashMap<>();

    /** @param said why the last call was refused; empty while it was not */
    private record Row(int calls, Instant at, String said) {
        Instant next() {
            Duration most = said.isEmpty() ? LONGEST_ACCEPTED : LONGEST_REFUSED;
            Duration pause = FIRST;
            for (int i = 1; i < calls && pause.compareTo(most) < 0; i++) {
                pause = pause.multipliedBy(2);
            }
            return at.plus(pause.compareTo(most) < 0 ? pause : most);
        }
    }

    /** Whether an instance's end may be asked for now; remembers that it is. */
    public boolean mayAsk(String instance, Instant now) {
        Row row = rows.get(instance);
        if (row != null && now.isBefore(row.next())) {
            return false;
        }
        int calls = row == null ? 0 : row.calls();
        rows.put(instance, new Row(Math.min(calls, Integer.MAX_VALUE - 1) + 1, now, row == null ? "" : row.said()));
        return true;
    }

    /** The provider did not end it. @param now from when the pause counts */
    public void refused(String instance, String said, Instant now) {
        Row row = rows.get(instance);
        rows.put(instance, new Row(row == null ? 1 : row.calls(), now, said.isEmpty() ? "no reason" : said));
    }

    /** The provider ends it. */
    public void accepted(String instance) {
        Row row = rows.get(instance);
        if (row != null) {
            // Refusals before it say nothing of how long the end takes.
            rows.put(instance, new Row(row.said().isEmpty() ? row.calls() : 1, row.at(), ""));
        }
    }

    /** The instance is gone. */
    public void forget(String instance) {
        rows.remove(instance);
    }

    /** Why machines of the site have not ended; none when none was refused. */
    public Cause cause(Instant now) {
        rows.values().removeIf(row -> now.isAfter(row.at().plus(KEPT)));
        List<Row> refused =
                rows.values().stream().filter(row -> !row.said().isEmpty()).toList();
        return refused.stream()
                .max(Comparator.comparing(Row::at).thenComparing(Row::said))
                .<Cause>map(last -> new SiteCause.EndsRefused(refused.size(), last.said()))
                .orElse(Cause.NONE);
    }
}
