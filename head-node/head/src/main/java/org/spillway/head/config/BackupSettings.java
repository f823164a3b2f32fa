package org.spillway.head.config;

import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Date;
import java.util.Objects;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;
import org.quartz.CronExpression;

/**
 * When the head copies its journal by itself, and where to. Either {@code every} or {@code cron} is there.
 *
 * @param folder of the copies; best on another disk
 * @param every 1 min to 30 d between two
 * @param cron a Quartz expression, in the head's time zone
 * @param keep 1 to 10,000 copies; older ones are deleted when a new one was read back
 */
public record BackupSettings(
        Path folder, @Nullable Duration every, @Nullable String cron, int keep) {
    /** The first moment after the latest copy at which another is wanted. */
    public Instant next(Instant latest, ZoneId zone) {
        if (every != null) {
            return latest.plus(every);
        }
        try {
            CronExpression expression = new CronExpression(Objects.requireNonNull(cron));
            expression.setTimeZone(TimeZone.getTimeZone(zone));
            Date next = expression.getNextValidTimeAfter(Date.from(latest));
            return next == null ? Instant.MAX : next.toInstant();
        } catch (ParseException impossible) {
            throw new IllegalStateException("it was read before: " + cron, impossible);
        }
    }
}
