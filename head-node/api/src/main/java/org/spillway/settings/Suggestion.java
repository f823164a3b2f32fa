package org.spillway.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the word that was probably meant. */
public final class Suggestion {
    private Suggestion() {}

    /** {@code  (did you mean 'x'?)} for the nearest word, or nothing when none is near. */
    public static String phrase(String found, Collection<String> allowed) {
        return nearest(found, allowed)
                .map(word -> "; did you mean '" + word + "'?")
                .orElse("");
    }

    static Optional<String> nearest(String found, Collection<String> allowed) {
        var typed = found.toLowerCase(Locale.ROOT);
        if (typed.length() > 60) {
            return Optional.empty();
        }
        int reach = Math.max(1, typed.length() / 3);
        return allowed.stream()
                .filter(word -> distance(typed, word.toLowerCase(Locale.ROOT)) <= reach)
                .min(Comparator.comparingInt((String word) -> distance(typed, word.toLowerCase(Locale.ROOT)))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Levenshtein: letters to insert, delete or replace. */
    private static int distance(String from, String to) {
        var row = new int[to.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int above = row[j];
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        return row[to.length()];
    }
}
