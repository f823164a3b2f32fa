package org.spillway.slurm.manager;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The part of a sentence that may stand in a job's {@code AdminComment}, which every user of the machine can read:
 * numbers, sites and types, but no names of the user's files. {@code spillway explain} says the rest, to those who may
 * see the job. Pure.
 */
public final class Aloud {
    /** How sentences begin that go on with words about the user's own files. */
    private static final List<String> PRIVATE_AFTER = List.of(
            "its input cannot be staged: ",
            "staging its input was interrupted and will be tried again: ",
            "its results could not be brought home, trying again: ",
            "its results could not be put in their places: ",
            "OUTPUT_MISSING: ");

    /** Of a quota: numbers only. */
    private static final Pattern HARMLESS = Pattern.compile("its \\d+ bytes are more than the \\d+ that [^/]*");

    private static final Pattern ABSOLUTE_PATH = Pattern.compile("(?<![\\w/])/[^\\s,;:]+");

    private Aloud() {}

    public static String of(String sentence) {
        for (String begin : PRIVATE_AFTER) {
            if (sentence.startsWith(begin)
                    && !HARMLESS.matcher(sentence.substring(begin.length())).matches()) {
                return begin + "'spillway explain' says why";
            }
        }
        return ABSOLUTE_PATH.matcher(sentence).replaceAll("(a path)");
    }
}
