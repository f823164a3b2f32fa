package org.spillway.head.service;

import java.text.ParseException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.TimeZone;
import org.quartz.CronExpression;
import org.spillway.head.config.HeadConfig;
import org.spillway.policy.ScheduleWindow;

/** Which windows of the schedule are open. Pure: it keeps no state, and a head that was down opens what is open now. */
public final class Timetable {
    private final List<Line> lines = new ArrayList<>();

    private record Line(HeadConfig.Window window, CronExpression cron) {}

    /**
     * @param zone in which the expressions' hours are meant
     * @throws IllegalArgumentException if an expression is none, which the configuration's reader has ruled out
     */
    public Timetable(List<HeadConfig.Window> schedule, ZoneId zone) {
        for (HeadConfig.Window window : schedule) {
            try {
                CronExpression cron = new CronExpression(window.cron());
                cron.setTimeZone(TimeZone.getTimeZone(zone));
                lines.add(new Line(window, cron));
            } catch (ParseException malformed) {
                throw new IllegalArgumentException("window " + window.name() + ": " + window.cron(), malformed);
            }
        }
    }

    /** A window is open from a time that its expression names, that included, for its duration. */
    @SuppressWarnings("JavaUtilDate") // Quartz has no other.
    public List<ScheduleWindow> open(Instant now) {
        List<ScheduleWindow> open = new ArrayList<>();
        for (Line line : lines) {
            // An expression knows whole seconds; what begins now has begun.
            Instant earliest = now.minus(line.window().duration());
            Date begun = line.cron().getNextValidTimeAfter(Date.from(earliest));
            if (begun != null && !begun.toInstant().isAfter(now)) {
                Instant opened = begun.toInstant();
                open.add(new ScheduleWindow(
                        line.window().name(),
                        opened,
                        opened.plus(line.window().duration()),
                        line.window().warm()));
            }
        }
        return open;
    }
}
