package org.spillway.scaler.simulate.log;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;

/**
 * The Philly log as the artifact of Sia (SOSP 2023) has it: a comma-separated table, not in the order of time. Times have
 * no zone and count as UTC. The virtual cluster is the queue; neither users nor requested walltimes are in it.
 */
final class PhillyReader implements LogReader {
    static final String HEADER = "timestamp,duration,num_gpus,gpu_time,cluster";
    private static final int MOST_GPUS = 100_000;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    @Override
    public void read(Lines lines, Collected into) throws IOException, BrokenLog {
        lines.next();
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (line.isBlank()) {
                continue;
            }
            try {
                into.add(job(line, lines.number()));
            } catch (Malformed malformed) {
                into.broken(lines.number(), malformed.what());
            }
        }
    }

    private static LoggedJob job(String line, long number) throws Malformed {
        String[] cells = line.split(",", -1);
        if (cells.length != 5) {
            throw new Malformed(cells.length + " columns instead of 5");
        }
        double gpus = Numbers.decimal("num_gpus", cells[2], 1, MOST_GPUS);
        if (gpus != Math.rint(gpus)) {
            throw new Malformed("num_gpus is '" + cells[2] + "', not a whole number");
        }
        Duration duration = Numbers.seconds("duration", cells[1]);
        return new LoggedJob(
                Long.toString(number),
                time(cells[0]),
                duration,
                GpuNodes.nodes((int) gpus),
                GpuNodes.perNode((int) gpus),
                null,
                cells[4].strip(),
                "",
                "",
                0,
                null);
    }

    private static Instant time(String text) throws Malformed {
        try {
            return LocalDateTime.parse(text, TIME).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException unreadable) {
            throw new Malformed("timestamp is '" + text + "', not like 2017-10-09 07:01:55");
        }
    }
}
