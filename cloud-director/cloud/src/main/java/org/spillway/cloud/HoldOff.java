package org.spillway.cloud;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Pauses that a provider has asked for by {@code Retry-After}: while one lasts, a driver sends nothing that the same
 * bucket would count. In memory: a head that starts again asks once. Safe for several threads.
 */
public final class HoldOff {
    /** A provider that asks for more is asked once a day. */
    static final Duration LONGEST = Duration.ofDays(1);
    /** The forms of a date that RFC 9110, 5.6.7, obliges a recipient to read. */
    private static final List<DateTimeFormatter> DATES = List.of(
            DateTimeFormatter.RFC_1123_DATE_TIME,
            new DateTimeFormatterBuilder()
                    .appendPattern("EEEE, dd-MMM-")
                    .appendValueReduced(ChronoField.YEAR, 2, 2, 2000)
                    .appendPattern(" HH:mm:ss 'GMT'")
                    .toFormatter(Locale.US),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.US));

    private final InstantSource clock;
    private final Map<String, Instant> until = new ConcurrentHashMap<>();

    public HoldOff(InstantSource clock) {
        this.clock = clock;
    }

    /** When calls of that bucket may be sent again; empty for now. */
    public Optional<Instant> until(String bucket) {
        Instant end = until.get(bucket);
        if (end == null || !end.isAfter(clock.instant())) {
            return Optional.empty();
        }
        return Optional.of(end);
    }

    /**
     * An answer that asks for a pause. Of two pauses the one that ends later counts.
     *
     * @param retryAfter the header's words; what cannot be read asks for nothing
     * @param date of the answer by the provider's clock, which may be another than ours; empty if it has none
     */
    public void asked(String bucket, String retryAfter, String date) {
        Instant now = clock.instant();
        pause(retryAfter, date, now).ifPresent(pause -> {
            Instant end = now.plus(pause);
            until.merge(bucket, end, (one, two) -> one.isAfter(two) ? one : two);
        });
    }

    /** As a call that was not sent is told. */
    public static String said(Instant end) {
        return "not sent: the provider asked for a pause until " + end;
    }

    /**
     * Both forms of RFC 9110, 10.2.3: seconds, or a date.
     *
     * @return above zero and at most a day; empty for none, or one that is over
     */
    static Optional<Duration> pause(String retryAfter, String date, Instant now) {
        String words = retryAfter.strip();
        Duration asked;
        if (words.matches("[0-9]{1,9}")) {
            asked = Duration.ofSeconds(Long.parseLong(words));
        } else {
            asked = date(words)
                    .map(end -> Duration.between(date(date).orElse(now), end))
                    .orElse(Duration.ZERO);
        }
        if (asked.isNegative() || asked.isZero()) {
            return Optional.empty();
        }
        return Optional.of(asked.compareTo(LONGEST) < 0 ? asked : LONGEST);
    }

    private static Optional<Instant> date(String text) {
        for (DateTimeFormatter form : DATES) {
            try {
                return Optional.of(LocalDateTime.parse(text.strip(), form).toInstant(ZoneOffset.UTC));
            } catch (DateTimeException other) {
                continue;
            }
        }
        return Optional.empty();
    }
}
