package org.spillway.proof.bench;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The shape of a line is its delay and its rate.
 *
 * @param delay there and back, as {@code ping} tells it; each way has half of it
 * @param bytesPerSecond each way, of all connections together
 */
record LinkShape(Duration delay, double bytesPerSecond) {
    private static final Pattern WORDS = Pattern.compile("([0-9]{1,4})ms,([0-9]{1,5}(?:\\.[0-9]{1,3})?)(M|G)bit");
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final double LEAST = 125_000;
    private static final double MOST = 1.25e10;

    LinkShape {
        if (delay.isNegative() || delay.compareTo(LONGEST) > 0 || bytesPerSecond < LEAST || bytesPerSecond > MOST) {
            throw new IllegalArgumentException("a link has 0 to 2000 ms, and 1 Mbit to 100 Gbit a second");
        }
    }

    /** @throws IllegalArgumentException if {@code text} is nothing like {@code 40ms,1Gbit} */
    static LinkShape of(String text) {
        Matcher words = WORDS.matcher(text);
        if (!words.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no link: it has a delay and a rate, such as 40ms,1Gbit");
        }
        double bits = Double.parseDouble(words.group(2)) * (words.group(3).equals("G") ? 1e9 : 1e6);
        return new LinkShape(Duration.ofMillis(Long.parseLong(words.group(1))), bits / 8);
    }

    @Override
    public String toString() {
        return delay.toMillis() + " ms there and back, " + Math.round(bytesPerSecond * 8 / 1e6) + " Mbit/s each way";
    }
}
