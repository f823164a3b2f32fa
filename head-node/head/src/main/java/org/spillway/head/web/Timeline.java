package org.spillway.head.web;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.spillway.api.JobDetail.Moment;
import org.spillway.api.JobState;

/**
 * A job's states as parts of a bar. Pure.
 *
 * @param parts oldest first; a state that the job ended in has no length and no part
 * @param total from the first moment to the last, or to now for a job that lives
 */
record Timeline(List<Part> parts, Duration total) {
    /** In hundredths of a percent: a part of a second in a day can still be seen and pointed at. */
    private static final int LEAST = 80;

    private static final int WHOLE = 10_000;
    /** A number fits in. */
    private static final int ROOM = 300;

    Timeline {
        parts = List.copyOf(parts);
    }

    /**
     * @param number from 1, as in the bar and in the table
     * @param x where it begins, and {@code width}, in percent of the bar as SVG wants them
     * @param middle of it
     * @param wide whether there is room for its number
     * @param open whether it is still going on
     */
    record Part(
            int number,
            JobState state,
            Instant from,
            Duration length,
            String reason,
            String x,
            String width,
            String middle,
            boolean wide,
            boolean open) {}

    static Timeline of(List<Moment> moments, Instant now) {
        var drawn = new ArrayList<Moment>();
        var lengths = new ArrayList<Duration>();
        for (int i = 0; i < moments.size(); i++) {
            var moment = moments.get(i);
            if (!moment.state().isTerminal()) {
                var end = i + 1 < moments.size() ? moments.get(i + 1).at() : now;
                drawn.add(moment);
                // The clock may have been set back between two moments.
                lengths.add(end.isAfter(moment.at()) ? Duration.between(moment.at(), end) : Duration.ZERO);
            }
        }
        boolean open = !moments.isEmpty() && !moments.getLast().state().isTerminal();
        return new Timeline(parts(drawn, lengths, open), lengths.stream().reduce(Duration.ZERO, Duration::plus));
    }

    private static List<Part> parts(List<Moment> moments, List<Duration> lengths, boolean open) {
        var parts = new ArrayList<Part>();
        var widths = widths(lengths);
        int x = 0;
        for (int i = 0; i < moments.size(); i++) {
            var moment = moments.get(i);
            int width = widths[i];
            parts.add(new Part(
                    i + 1,
                    moment.state(),
                    moment.at(),
                    lengths.get(i),
                    moment.reason(),
                    percent(x),
                    percent(width),
                    percent(x + width / 2),
                    width >= ROOM,
                    open && i == moments.size() - 1));
            x += width;
        }
        return parts;
    }

    /** In proportion, with something for each; together exactly the whole. */
    private static int[] widths(List<Duration> lengths) {
        int count = lengths.size();
        var widths = new int[count];
        int least = count == 0 ? 0 : Math.min(LEAST, WHOLE / 2 / count);
        double total = 0;
        for (var length : lengths) {
            total += length.toMillis();
        }
        int left = WHOLE;
        int longest = 0;
        for (int i = 0; i < count; i++) {
            double part = total == 0 ? 1.0 / count : lengths.get(i).toMillis() / total;
            widths[i] = least + (int) ((WHOLE - least * count) * part);
            left -= widths[i];
            longest = widths[i] > widths[longest] ? i : longest;
        }
        if (count > 0) {
            widths[longest] += left;
        }
        return widths;
    }

    private static String percent(int hundredths) {
        return String.format(Locale.ROOT, "%d.%02d%%", hundredths / 100, hundredths % 100);
    }
}
