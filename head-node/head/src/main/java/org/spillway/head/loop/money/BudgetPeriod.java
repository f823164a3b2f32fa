package org.spillway.head.loop.money;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/** After which a budget begins anew, in the head's time zone. */
public enum BudgetPeriod {
    HOUR,
    DAY,
    MONTH;

    /** When the period that holds {@code now} began. */
    public Instant start(Instant now, ZoneId zone) {
        ZonedDateTime local = now.atZone(zone);
        return switch (this) {
            case HOUR -> local.truncatedTo(ChronoUnit.HOURS).toInstant();
            // Where clocks go back at midnight, the day begins with the first of the two.
            case DAY -> local.toLocalDate().atStartOfDay(zone).toInstant();
            case MONTH ->
                local.toLocalDate().withDayOfMonth(1).atStartOfDay(zone).toInstant();
        };
    }

    /** When the next period begins. */
    public Instant end(Instant now, ZoneId zone) {
        ZonedDateTime begun = start(now, zone).atZone(zone);
        return switch (this) {
            case HOUR -> begun.plusHours(1).toInstant();
            case DAY -> begun.toLocalDate().plusDays(1).atStartOfDay(zone).toInstant();
            case MONTH -> begun.toLocalDate().plusMonths(1).atStartOfDay(zone).toInstant();
        };
    }
}
