package org.spillway.slurm.manager;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Slurm's ways to write times, sizes and lists. What is not understood throws {@link NumberFormatException} or {@link DateTimeException}. */
final class SlurmText {
    private static final Set<String> NOTHING = Set.of("", "(null)", "N/A", "None", "none", "Unknown", "n/a", "NONE");
    private static final Pattern TIME = Pattern.compile("(?:(\\d{1,6})-)?(\\d{1,4})(?::(\\d{2}))?(?::(\\d{2}))?");
    /** A digit for each 0, the rest as it stands. */
    private static final String MOMENT = "0000-00-00T00:00:00";

    private static final Pattern SIZE = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,6})?)([KMGTP]?)[cn]?");
    private static final Pattern PIECE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9})(?::(\\d{1,9}))?)?");
    private static final String UNITS = "KMGTP";
    private static final long MEBI = 1L << 20;

    private SlurmText() {}

    static boolean isNothing(String text) {
        return NOTHING.contains(text);
    }

    /** The text, or an empty one for each of Slurm's words for nothing. */
    static String orEmpty(String text) {
        return isNothing(text) ? "" : text;
    }

    static List<String> list(String text) {
        return isNothing(text)
                ? List.of()
                : Arrays.stream(text.split(",", -1))
                        .filter(part -> !part.isEmpty())
                        .toList();
    }

    /** Limit of {@code [days-]hours:minutes:seconds}, {@code minutes:seconds}; empty for none. */
    static Optional<Duration> limit(String text) {
        if (isNothing(text) || text.equals("UNLIMITED") || text.equals("NOT_SET") || text.equals("INVALID")) {
            return Optional.empty();
        }
        var matcher = TIME.matcher(text);
        if (!matcher.matches() || (matcher.group(1) != null && matcher.group(4) == null)) {
            throw new NumberFormatException("not a time limit: " + text);
        }
        long days = number(matcher.group(1));
        long first = number(matcher.group(2));
        long second = number(matcher.group(3));
        return Optional.of(
                matcher.group(4) == null
                        ? Duration.ofSeconds(first * 60 + second)
                        : Duration.ofSeconds(((days * 24 + first) * 60 + second) * 60 + number(matcher.group(4))));
    }

    /**
     * When slurmctld was started, as {@code scontrol show config} says it.
     *
     * @throws UnreadableAnswer if it is not among the settings
     */
    static Instant started(String config) throws UnreadableAnswer {
        String began = configured("BOOT_TIME", config).orElseThrow(() -> new UnreadableAnswer("no BOOT_TIME"));
        try {
            return time(began).orElseThrow(() -> new UnreadableAnswer("no BOOT_TIME"));
        } catch (DateTimeException e) {
            throw new UnreadableAnswer("BOOT_TIME: " + e.getMessage());
        }
    }

    /** The value of a key, as {@code scontrol show config} writes it. */
    static Optional<String> configured(String key, String config) {
        return config.lines()
                .map(line -> line.split("=", 2))
                .filter(words -> words.length == 2 && words[0].strip().equals(key))
                .map(words -> words[1].strip())
                .findFirst();
    }

    /**
     * Time in UTC, as asked for by {@link SlurmRows#environment()}; empty for none. Read by hand: a look at 10,000 jobs has
     * 30,000 of them, and a formatter takes 1.3 kB for each.
     *
     * @throws DateTimeException if it is not such a time
     */
    static Optional<Instant> time(String text) {
        if (isNothing(text)) {
            return Optional.empty();
        }
        boolean formed = text.length() == MOMENT.length();
        for (int at = 0; formed && at < MOMENT.length(); at++) {
            char wanted = MOMENT.charAt(at);
            char found = text.charAt(at);
            formed = wanted == '0' ? found >= '0' && found <= '9' : found == wanted;
        }
        if (!formed) {
            throw new DateTimeException("not a time: " + text);
        }
        return Optional.of(LocalDateTime.of(
                        digits(text, 0, 4),
                        digits(text, 5, 7),
                        digits(text, 8, 10),
                        digits(text, 11, 13),
                        digits(text, 14, 16),
                        digits(text, 17, 19))
                .toInstant(ZoneOffset.UTC));
    }

    private static int digits(String text, int from, int to) {
        return Integer.parseInt(text, from, to, 10);
    }

    /** Bytes; a number without a unit is mebibytes. */
    static long bytes(String text) {
        if (isNothing(text)) {
            return 0;
        }
        var matcher = SIZE.matcher(text);
        if (!matcher.matches()) {
            throw new NumberFormatException("not a size: " + text);
        }
        String unit = matcher.group(2);
        long factor = unit.isEmpty() ? MEBI : 1L << (10 * (UNITS.indexOf(unit) + 1));
        return new BigDecimal(matcher.group(1))
                .multiply(BigDecimal.valueOf(factor))
                .toBigInteger()
                .longValueExact();
    }

    /**
     * Tasks of an array that still wait, from {@code 1-499:2%10}, {@code 1,5,7-9} or {@code 3}; 1 for no array. Slurm cuts
     * a long list off with {@code ...}: what stands before it is counted.
     */
    static int arrayTasks(String text) {
        if (isNothing(text)) {
            return 1;
        }
        String indices = text.indexOf('%') < 0 ? text : text.substring(0, text.indexOf('%'));
        int tasks = 0;
        for (String part : indices.split(",", -1)) {
            var matcher = PIECE.matcher(part);
            if (part.equals("...")) {
                continue;
            }
            if (!matcher.matches()) {
                throw new NumberFormatException("not an array: " + text);
            }
            long first = number(matcher.group(1));
            long last = matcher.group(2) == null ? first : number(matcher.group(2));
            long step = matcher.group(3) == null ? 1 : Math.max(1, number(matcher.group(3)));
            tasks = Math.addExact(tasks, last < first ? 0 : Math.toIntExact((last - first) / step + 1));
        }
        return Math.max(1, tasks);
    }

    /** The first of the tasks that {@link #arrayTasks} counts, at most {@code most}; none for no array. */
    static List<Integer> arrayIndices(String text, int most) {
        if (isNothing(text)) {
            return List.of();
        }
        List<Integer> indices = new ArrayList<>();
        for (String part : (text.indexOf('%') < 0 ? text : text.substring(0, text.indexOf('%'))).split(",", -1)) {
            var matcher = PIECE.matcher(part);
            if (!matcher.matches()) {
                continue;
            }
            int first = (int) number(matcher.group(1));
            int last = matcher.group(2) == null ? first : (int) number(matcher.group(2));
            int step = matcher.group(3) == null ? 1 : Math.max(1, (int) number(matcher.group(3)));
            for (long index = first; index <= last && indices.size() < most; index += step) {
                indices.add((int) index);
            }
        }
        return List.copyOf(indices);
    }

    /** How many tasks of the array may run at once: the number behind {@code %}; empty for any. */
    static Optional<Integer> arrayThrottle(String text) {
        int at = text.indexOf('%');
        return at < 0 ? Optional.empty() : Optional.of(Integer.parseInt(text.substring(at + 1)));
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
