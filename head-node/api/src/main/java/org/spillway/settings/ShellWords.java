package org.spillway.settings;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a line into words as a shell does, and evaluates nothing: single quotes, double quotes (in which a backslash
 * stands before {@code "}, {@code \}, {@code $} or a backquote), a backslash before any character, and {@code #} at the
 * beginning of a word for a comment. Dollar signs, backquotes and wildcards are plain characters.
 */
public final class ShellWords {
    private final String line;
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean begun;
    private int at;

    private ShellWords(String line) {
        this.line = line;
    }

    /** @throws IllegalArgumentException if a quote is not closed, or nothing follows a backslash */
    public static List<String> split(String line) {
        var split = new ShellWords(line);
        split.run();
        return split.words;
    }

    private void run() {
        while (at < line.length()) {
            char next = line.charAt(at++);
            switch (next) {
                case ' ', '\t', '\r' -> end();
                case '\'' -> quoted('\'');
                case '"' -> quoted('"');
                case '\\' -> add(escaped());
                case '#' -> {
                    if (!begun) {
                        return;
                    }
                    add(next);
                }
                default -> add(next);
            }
        }
        end();
    }

    private void quoted(char quote) {
        begun = true;
        int opened = at;
        while (at < line.length()) {
            char next = line.charAt(at++);
            if (next == quote) {
                return;
            }
            boolean escapes =
                    quote == '"' && next == '\\' && at < line.length() && "\"\\$`".indexOf(line.charAt(at)) >= 0;
            add(escapes ? line.charAt(at++) : next);
        }
        throw new IllegalArgumentException("the quote " + quote + " at character " + opened + " is not closed");
    }

    private char escaped() {
        if (at == line.length()) {
            throw new IllegalArgumentException("nothing follows the backslash at the end; options stand on one line");
        }
        return line.charAt(at++);
    }

    private void add(char next) {
        begun = true;
        word.append(next);
    }

    private void end() {
        if (begun) {
            words.add(word.toString());
            word.setLength(0);
            begun = false;
        }
    }
}
