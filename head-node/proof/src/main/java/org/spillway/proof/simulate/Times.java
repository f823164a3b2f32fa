package org.spillway.proof.simulate;

import java.time.Duration;
import java.util.Locale;
import org.spillway.cli.CliFailure;
import org.spillway.settings.Quantities;

/** Lengths of time, as options write them and as people read them. */
final class Times {
    private Times() {}

    static Duration duration(String option, String text) {
        try {
            return Quantities.duration(text);
        } catch (IllegalArgumentException unreadable) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    option + " is '" + text + "'",
                    "write a length of time such as 90s, 30m, 24h");
        }
    }

    static String text(double seconds) {
        if (seconds < 60) {
            return String.format(Locale.ROOT, "%.0f s", seconds);
        }
        if (seconds < 3600) {
            return String.format(Locale.ROOT, "%.1f min", seconds / 60);
        }
        return seconds < 172_800
                ? String.format(Locale.ROOT, "%.1f h", seconds / 3600)
                : String.format(Locale.ROOT, "%.1f d", seconds / 86_400);
    }
}
