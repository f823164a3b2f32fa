package org.spillway.head.loop.sites;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The last lines of an installation or a console, as far as they may be kept and shown: printable, few, and without
 * anything that looks like a secret. Pure.
 */
final class LastWords {
    private static final int MOST_LINES = 8;
    private static final int MOST_LINE = 300;
    private static final Pattern KEY_BLOCK =
            Pattern.compile("-----BEGIN [A-Z0-9 ]+-----.*?(-----END [A-Z0-9 ]+-----|\\z)", Pattern.DOTALL);
    /** Keys, tokens and digests: as long as none of our own words, with a letter and a digit. */
    private static final Pattern TOKEN =
            Pattern.compile("(?=[A-Za-z0-9+=_-]*[0-9])(?=[A-Za-z0-9+=_-]*[A-Za-z])[A-Za-z0-9+=_-]{24,}");

    private static final Pattern NAMED = Pattern.compile(
            "(?i)\\b(password|passwd|secret|token|authorization|bearer|api[-_]?key)(\\s*[:=]\\s*|\\s+)(\"[^\"]*\"|\\S+)");

    private static final Pattern HEADER = Pattern.compile("(?i)(authorization|cookie)\\s*:.*");

    private LastWords() {}

    /** The words as one line, the parts of it divided by bars. */
    static String of(String text) {
        String safe = KEY_BLOCK.matcher(text).replaceAll("***");
        List<String> lines = safe.lines()
                .map(line -> line.replaceAll("\\p{Cntrl}\\[[0-9;]*[A-Za-z]|[^\\x20-\\x7e]", " ")
                        .strip())
                .filter(line -> !line.isEmpty())
                .toList();
        return lines.stream()
                .skip(Math.max(0, lines.size() - MOST_LINES))
                .map(LastWords::masked)
                .collect(Collectors.joining(" | "));
    }

    private static String masked(String line) {
        String safe = TOKEN.matcher(NAMED.matcher(HEADER.matcher(line).replaceAll("$1: ***"))
                        .replaceAll("$1$2***"))
                .replaceAll("***");
        return safe.length() <= MOST_LINE ? safe : safe.substring(0, MOST_LINE) + "...";
    }
}
