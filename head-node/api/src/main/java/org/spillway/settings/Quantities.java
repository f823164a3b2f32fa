package org.spillway.settings;

import java.time.Duration;
import java.util.regex.Pattern;

/** Lengths of time and sizes as they are written in the file and on the command line. */
public final class Quantities {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Pattern SIZE = Pattern.compile("(\\d{1,12})(B|KiB|MiB|GiB|TiB)");

    private Quantities() {}

    /**
     * @param text such as {@code 500ms}, {@code 600s}, {@code 10m}, {@code 2h} or {@code 1d}
     * @throws IllegalArgumentException with a sentence that says what is allowed
     */
    public static Duration duration(String text) {
        var match = DURATION.matcher(text);
        if (!match.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a length of time; write a whole number with ms, s, m, h or d, such as 10m");
        }
        long number = Long.parseLong(match.group(1));
        return switch (match.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    /**
     * @param text such as {@code 512MiB} or {@code 4GiB}
     * @return bytes
     * @throws IllegalArgumentException with a sentence that says what is allowed
     */
    public static long bytes(String text) {
        var match = SIZE.matcher(text);
        if (!match.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a size; write a whole number with B, KiB, MiB, GiB or TiB, such as 4GiB");
        }
        long unit = switch (match.group(2)) {
            case "B" -> 1;
            case "KiB" -> 1L << 10;
            case "MiB" -> 1L << 20;
            case "GiB" -> 1L << 30;
            default -> 1L << 40;
        };
        try {
            return Math.multiplyExact(Long.parseLong(match.group(1)), unit);
        } catch (ArithmeticException tooLarge) {
            throw new IllegalArgumentException("'" + text + "' is larger than any machine", tooLarge);
        }
    }

    /** In the largest unit that keeps it whole, so that it can be read back. */
    public static String write(Duration time) {
        long millis = time.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        if (seconds % 3600 != 0) {
            return seconds / 60 + "m";
        }
        return seconds % 86_400 == 0 ? seconds / 86_400 + "d" : seconds / 3600 + "h";
    }

    /** In the largest unit that keeps it whole, so that it can be read back. */
    public static String writeBytes(long bytes) {
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        long number = bytes;
        while (number != 0 && number % 1024 == 0 && unit < units.length - 1) {
            number /= 1024;
            unit++;
        }
        return number + units[unit];
    }
}
