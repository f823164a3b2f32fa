package org.spillway.slurm.setup;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lines of ours in a file of somebody else's, between markers. Lines that they take the place of stay there as comments,
 * so that the file alone tells what it was. Pure.
 *
 * @param comment what begins a comment in this file
 */
record Marks(String comment) {
    /** slurm.conf and its kind. */
    static final Marks CONF = new Marks("#");

    static final Marks LUA = new Marks("--");

    private static final String BEGIN = " >>> spillway slurm setup; 'spillway slurm undo' takes these lines out ";
    private static final String END = " <<< spillway slurm setup";
    /** The file's last line had no end, and got one. */
    private static final String JOINED = "joined";
    /** The last line that was replaced had no end. */
    private static final String UNENDED = "unended";

    private static final String KEPT = "|";

    /**
     * @param first index of the first line to replace
     * @param end index behind the last one; {@code first} to replace none
     * @param lines in their place, without ends
     */
    record Edit(int first, int end, List<String> lines) {
        Edit {
            lines = List.copyOf(lines);
        }
    }

    /** The text without lines of ours, or why they cannot be taken out. */
    sealed interface TakenOut {
        record Clean(String text) implements TakenOut {}

        /** @param line from 1 */
        record Touched(int line, String why) implements TakenOut {}
    }

    /** @param edits none of which overlaps another */
    String with(String text, List<Edit> edits) {
        List<String> lines = ConfText.lines(text);
        String newline = newline(text);
        var changed = new StringBuilder();
        int at = 0;
        for (Edit edit : edits.stream()
                .sorted(Comparator.comparingInt(Edit::first).thenComparingInt(Edit::end))
                .toList()) {
            while (at < edit.first()) {
                changed.append(lines.get(at++));
            }
            boolean joins = !changed.isEmpty() && changed.charAt(changed.length() - 1) != '\n';
            if (joins) {
                changed.append(newline);
            }
            var inside = new StringBuilder();
            boolean unended = false;
            while (at < edit.end()) {
                String line = lines.get(at++);
                inside.append(comment).append(KEPT).append(line);
                unended = !line.endsWith("\n");
            }
            inside.append(unended ? newline : "");
            edit.lines().forEach(line -> inside.append(line).append(newline));
            changed.append(comment)
                    .append(BEGIN)
                    .append(digest(inside))
                    .append(joins ? " " + JOINED : unended ? " " + UNENDED : "")
                    .append(newline)
                    .append(inside)
                    .append(comment)
                    .append(END)
                    .append(newline);
        }
        while (at < lines.size()) {
            changed.append(lines.get(at++));
        }
        return changed.toString();
    }

    /** Lines that others have added around ours stay. */
    TakenOut without(String text) {
        List<String> lines = ConfText.lines(text);
        var plain = new StringBuilder();
        Pattern begins = Pattern.compile(
                Pattern.quote(comment + BEGIN) + "([0-9a-f]+)(?: (" + JOINED + "|" + UNENDED + "))?(\\r?\\n)");
        int softFrom = -1;
        int softTo = -1;
        for (int at = 0; at < lines.size(); at++) {
            Matcher begin = begins.matcher(lines.get(at));
            if (!begin.matches()) {
                if (isMarker(lines.get(at))) {
                    return new TakenOut.Touched(at + 1, "a marker without its other end, or changed");
                }
                plain.append(lines.get(at));
                continue;
            }
            int newline = begin.group(3).length();
            if (JOINED.equals(begin.group(2))) {
                softFrom = plain.length() - newline;
                softTo = plain.length();
            }
            int first = at + 1;
            int end = first;
            while (end < lines.size() && !isMarker(lines.get(end))) {
                end++;
            }
            if (end == lines.size() || !lines.get(end).startsWith(comment + END)) {
                return new TakenOut.Touched(first, "the marker behind these lines is missing");
            }
            List<String> inside = lines.subList(first, end);
            if (!digest(String.join("", inside)).equals(begin.group(1))) {
                return new TakenOut.Touched(first, "the lines behind this marker were changed");
            }
            for (String line : inside) {
                if (line.startsWith(comment + KEPT)) {
                    plain.append(line, (comment + KEPT).length(), line.length());
                }
            }
            if (UNENDED.equals(begin.group(2))) {
                softFrom = plain.length() - newline;
                softTo = plain.length();
            }
            at = end;
        }
        if (softFrom >= 0 && softTo == plain.length()) {
            plain.setLength(softFrom);
        }
        return new TakenOut.Clean(plain.toString());
    }

    boolean isIn(String text) {
        return ConfText.lines(text).stream().anyMatch(this::isMarker);
    }

    private boolean isMarker(String line) {
        return line.startsWith(comment + BEGIN) || line.startsWith(comment + END);
    }

    /** As the file has it already. */
    private static String newline(String text) {
        int first = text.indexOf('\n');
        return first > 0 && text.charAt(first - 1) == '\r' ? "\r\n" : "\n";
    }

    /** Enough to see that somebody has changed it. */
    private static String digest(CharSequence text) {
        return Digests.sha256(text.toString().getBytes(StandardCharsets.ISO_8859_1))
                .substring(0, 16)
                .toLowerCase(Locale.ROOT);
    }
}
