package org.spillway.slurm.setup;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A text as Slurm's own parser reads it (parse_config.c): comments, escapes, lines that go on behind a backslash. Pure.
 *
 * @param lines with their ends: put together they are the text
 * @param statements in their order
 */
record ConfText(List<String> lines, List<Statement> statements) {
    static final String INCLUDE = "include";

    private static final Pattern PAIR =
            Pattern.compile("^\\s*([A-Za-z0-9_.]+)\\s*[-*+/]?=\\s*(?:\"([^\"]*)\"|(\\S+))(?:\\s|$)");
    private static final Pattern INCLUDED = Pattern.compile("^\\s*(?i:include)\\s+(\\S+)");

    ConfText {
        lines = List.copyOf(lines);
        statements = List.copyOf(statements);
    }

    /**
     * @param first index of its first line
     * @param end index behind its last line
     * @param key in small letters; {@link #INCLUDE} for an included file, whose name is the value
     * @param whole all of it on one line, without comments
     */
    record Statement(int first, int end, String key, String value, String whole) {}

    static ConfText of(String text) {
        List<String> lines = lines(text);
        List<Statement> statements = new ArrayList<>();
        int at = 0;
        while (at < lines.size()) {
            int first = at;
            var logical = new StringBuilder();
            boolean goesOn = true;
            while (goesOn && at < lines.size()) {
                String said = withoutComment(lines.get(at));
                int backslash = continuation(said);
                logical.append(backslash < 0 ? said : said.substring(0, backslash));
                goesOn = backslash >= 0;
                at++;
            }
            statement(first, at, withoutEscapes(logical), statements);
        }
        return new ConfText(lines, statements);
    }

    /** Each with its end: the last may have none. */
    static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            int newline = text.indexOf('\n', from);
            int end = newline < 0 ? text.length() : newline + 1;
            lines.add(text.substring(from, end));
            from = end;
        }
        return lines;
    }

    private static void statement(int first, int end, String whole, List<Statement> statements) {
        var pair = PAIR.matcher(whole);
        var included = INCLUDED.matcher(whole);
        if (pair.find()) {
            String value = pair.group(2) == null ? pair.group(3) : pair.group(2);
            statements.add(new Statement(first, end, pair.group(1).toLowerCase(Locale.ROOT), value, whole.strip()));
        } else if (included.find()) {
            statements.add(new Statement(first, end, INCLUDE, included.group(1), whole.strip()));
        }
    }

    private static String withoutComment(String line) {
        int backslashes = 0;
        for (int i = 0; i < line.length(); i++) {
            char character = line.charAt(i);
            if (character == '#' && backslashes % 2 == 0) {
                return line.substring(0, i);
            }
            backslashes = character == '\\' ? backslashes + 1 : 0;
        }
        return line;
    }

    /** Where the backslash stands by which the line goes on; -1 when it does not. */
    private static int continuation(String line) {
        int at = line.length() - 1;
        while (at >= 0 && isSpace(line.charAt(at))) {
            at--;
        }
        int last = at;
        while (at >= 0 && line.charAt(at) == '\\') {
            at--;
        }
        return (last - at) % 2 == 1 ? last : -1;
    }

    private static boolean isSpace(char character) {
        return character == ' ' || (character >= '\t' && character <= '\r');
    }

    private static String withoutEscapes(CharSequence text) {
        var plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\\' && i + 1 < text.length()) {
                i++;
            } else if (text.charAt(i) == '\\') {
                continue;
            }
            plain.append(text.charAt(i));
        }
        return plain.toString();
    }
}
