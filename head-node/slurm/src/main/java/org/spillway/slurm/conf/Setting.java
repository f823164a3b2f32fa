package org.spillway.slurm.conf;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A line of slurm.conf that the head depends on.
 *
 * @param value as slurm.conf writes it
 * @param breaks what does not work without it, as the end of a sentence
 */
public record Setting(String key, String value, Rule rule, String breaks) {
    /** When what a Slurm runs with is good enough. */
    public enum Rule {
        SAME,
        /** All of its words are among others. */
        AMONG,
        /** A number of seconds, or more. */
        AT_LEAST,
        /** There is any. */
        ANY
    }

    /** As slurm.conf has it. */
    public String line() {
        return key + "=" + value;
    }

    /** @param found as {@code scontrol show config} writes it; empty for none */
    public boolean isMetBy(String found) {
        boolean nothing = found.isEmpty() || found.equals("(null)") || found.equals("0-0");
        return switch (rule) {
            case SAME -> first(found).equalsIgnoreCase(value);
            case AMONG -> words(found).containsAll(words(value));
            case AT_LEAST -> first(found).matches("[0-9]{1,12}") && number(first(found)) >= number(value);
            case ANY -> !nothing;
        };
    }

    private static String first(String text) {
        return text.strip().split("\\s", 2)[0];
    }

    private static long number(String digits) {
        return Long.parseLong(digits);
    }

    /** A plugin may be named with its kind before it, as in {@code cli_filter/lua}. */
    private static List<String> words(String text) {
        return Arrays.stream(text.toLowerCase(Locale.ROOT).split(",", -1))
                .map(String::strip)
                .map(word -> word.substring(word.indexOf('/') + 1))
                .toList();
    }
}
