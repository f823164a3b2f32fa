package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Slurm's host lists, such as {@code west[1-3,07],r[1-2]n[0-1],onprem1}. */
public final class HostList {
    /** More names than this in one list are taken for nonsense. */
    static final int MAX_NAMES = 65_536;

    private static final Pattern RANGE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");

    private HostList() {}

    /**
     * The names, in the list's order, which is that of the ranks.
     *
     * @throws NumberFormatException if the text is no host list, or has more than {@link #MAX_NAMES} names
     */
    public static List<String> names(String text) {
        List<String> names = new ArrayList<>();
        if (SlurmText.isNothing(text)) {
            return List.of();
        }
        int depth = 0;
        int from = 0;
        for (int at = 0; at <= text.length(); at++) {
            char character = at == text.length() ? ',' : text.charAt(at);
            if (character == '[') {
                depth++;
            } else if (character == ']') {
                depth--;
            } else if (character == ',' && depth == 0) {
                expand("", text.substring(from, at), names);
                from = at + 1;
            }
        }
        if (depth != 0) {
            throw new NumberFormatException("not a host list: " + text);
        }
        return List.copyOf(names);
    }

    private static void expand(String before, String rest, List<String> names) {
        int open = rest.indexOf('[');
        if (open < 0) {
            String name = before + rest;
            if (name.isEmpty() || rest.indexOf(']') >= 0) {
                throw new NumberFormatException("not a host name: " + name);
            }
            if (names.size() == MAX_NAMES) {
                throw new NumberFormatException("a host list has more than " + MAX_NAMES + " names");
            }
            names.add(name);
            return;
        }
        int close = rest.indexOf(']', open);
        if (close < 0) {
            throw new NumberFormatException("not a host list: " + rest);
        }
        for (String range : rest.substring(open + 1, close).split(",", -1)) {
            var matcher = RANGE.matcher(range);
            if (!matcher.matches()) {
                throw new NumberFormatException("not a range of hosts: " + range);
            }
            String first = matcher.group(1);
            long last = Long.parseLong(matcher.group(2) == null ? first : matcher.group(2));
            if (last - Long.parseLong(first) >= MAX_NAMES) {
                throw new NumberFormatException("a host list has more than " + MAX_NAMES + " names");
            }
            for (long number = Long.parseLong(first); number <= last; number++) {
                String digits = Long.toString(number);
                String padded = "0".repeat(Math.max(0, first.length() - digits.length())) + digits;
                expand(before + rest.substring(0, open) + padded, rest.substring(close + 1), names);
            }
        }
    }
}
