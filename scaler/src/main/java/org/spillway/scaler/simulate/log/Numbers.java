package org.spillway.scaler.simulate.log;

import java.time.Duration;

/** Numbers as logs write them. */
final class Numbers {
    /** A job of a hundred years is a mistake. */
    private static final double MOST_SECONDS = 100 * 366 * 86_400.0;

    private Numbers() {}

    static double decimal(String name, String text, double least, double most) throws Malformed {
        double value;
        try {
            value = Double.parseDouble(text.strip());
        } catch (NumberFormatException unreadable) {
            throw new Malformed(name + " is '" + text + "', not a number");
        }
        if (!(value >= least && value <= most)) {
            throw new Malformed(name + " is '" + text + "'; allowed: " + bound(least) + " to " + bound(most));
        }
        return value;
    }

    static long whole(String name, String text, long least, long most) throws Malformed {
        // Some writers put a fraction of zero behind a whole number.
        return (long) decimal(name, text, (double) least, (double) most);
    }

    /** More than nothing. */
    static Duration seconds(String name, String text) throws Malformed {
        double value = decimal(name, text, 0, MOST_SECONDS);
        if (value <= 0) {
            throw new Malformed(name + " is '" + text + "'; allowed: more than 0");
        }
        return Duration.ofMillis(Math.max(1, Math.round(value * 1000)));
    }

    private static String bound(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
