package org.spillway.head.loop;

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
            case DAY -> local.truncatedTo(ChronoUnit.DAYS).toInstant();
            case MONTH -> local.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1).toInstant();
        };
    }
}
