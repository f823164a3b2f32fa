package org.spillway.stage.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.spillway.stage.tree.GlobSegment.AnyFolders;
import org.spillway.stage.tree.GlobSegment.Literal;
import org.spillway.stage.tree.GlobSegment.One;
import org.spillway.stage.tree.GlobSegment.OneOf;
import org.spillway.stage.tree.GlobSegment.Range;
import org.spillway.stage.tree.GlobSegment.Star;
import org.spillway.stage.tree.GlobSegment.Token;

/**
 * Writes patterns as POSIX extended regular expressions (IEEE 1003.1, 9.3.5 and 9.4): brackets know no escapes, so
 * special characters stand where they mean themselves.
 */
final class GlobRegex {
    private static final String SPECIAL = ".[\\()*+?{|^$";
    /** No path has two slashes side by side. */
    private static final String NEVER = "//";

    private static final String SHOWN_NAME = "[^./][^/]*";

    private GlobRegex() {}

    static String of(boolean absolute, List<List<GlobSegment>> alternatives) {
        String start = absolute ? "/" : "\\./";
        if (alternatives.stream().anyMatch(List::isEmpty)) {
            return start + ".*";
        }
        return start + alternatives.stream().map(GlobRegex::path).collect(Collectors.joining("|", "(", ")")) + "(/.*)?";
    }

    private static String path(List<GlobSegment> segments) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < segments.size(); i++) {
            GlobSegment segment = segments.get(i);
            boolean last = i == segments.size() - 1;
            if (segment.isAnyFolders()) {
                // At the end one name is enough: what is below a match is meant anyway.
                regex.append(last ? SHOWN_NAME : "(" + SHOWN_NAME + "/)*");
            } else {
                regex.append(first(segment.tokens())).append(last ? "" : "/");
            }
        }
        return regex.toString();
    }

    /** The beginning of a name: a dot there is only taken by a dot that is written there. */
    private static String first(List<Token> tokens) {
        List<Token> rest = tokens.subList(1, tokens.size());
        return switch (tokens.getFirst()) {
            case Literal literal -> literal(literal.symbol()) + rest(rest);
            case One one -> "[^./]" + rest(rest);
            case OneOf set -> set(set, true) + rest(rest);
            case Star star -> {
                if (rest.isEmpty()) {
                    yield SHOWN_NAME;
                }
                boolean dot = rest.getFirst() instanceof Literal literal && literal.symbol() == '.';
                String some = SHOWN_NAME + rest(rest);
                yield dot ? some : "(" + some + "|" + first(rest) + ")"; // the star may stand for nothing
            }
            case AnyFolders any -> SHOWN_NAME;
        };
    }

    private static String rest(List<Token> tokens) {
        StringBuilder regex = new StringBuilder();
        for (Token token : tokens) {
            regex.append(
                    switch (token) {
                        case Literal literal -> literal(literal.symbol());
                        case One one -> "[^/]";
                        case OneOf set -> set(set, false);
                        case Star star -> "[^/]*";
                        case AnyFolders any -> NEVER;
                    });
        }
        return regex.toString();
    }

    private static String literal(int symbol) {
        return (SPECIAL.indexOf(symbol) >= 0 ? "\\" : "") + Character.toString(symbol);
    }

    private static String set(OneOf set, boolean notDot) {
        List<Range> ranges = new ArrayList<>(set.ranges());
        if (set.negated()) {
            ranges.add(new Range('/', '/'));
            if (notDot) {
                ranges.add(new Range('.', '.'));
            }
        } else {
            ranges = without(ranges, '/');
            ranges = notDot ? without(ranges, '.') : ranges;
            if (ranges.isEmpty()) {
                return NEVER;
            }
        }
        return brackets(set.negated(), ranges);
    }

    private static List<Range> without(List<Range> ranges, int symbol) {
        List<Range> results = new ArrayList<>();
        for (Range range : ranges) {
            if (!range.has(symbol)) {
                results.add(range);
                continue;
            }
            if (range.first() < symbol) {
                results.add(new Range(range.first(), symbol - 1));
            }
            if (symbol < range.last()) {
                results.add(new Range(symbol + 1, range.last()));
            }
        }
        return results;
    }

    private static String brackets(boolean negated, List<Range> ranges) {
        List<Range> ordinary = ranges;
        StringBuilder singles = new StringBuilder();
        for (int special : new int[] {']', '[', '^', '-'}) {
            if (ordinary.stream().anyMatch(range -> range.has(special))) {
                singles.appendCodePoint(special);
            }
            ordinary = without(ordinary, special);
        }
        if (!negated && ordinary.isEmpty() && singles.length() == 1) {
            return literal(singles.charAt(0));
        }
        StringBuilder regex = new StringBuilder(negated ? "[^" : "[");
        boolean caretAlone = !negated && ordinary.isEmpty() && singles.charAt(0) == '^';
        regex.append(singles.indexOf("]") >= 0 ? "]" : "");
        for (Range range : ordinary) {
            regex.appendCodePoint(range.first());
            if (range.last() > range.first()) {
                regex.append(range.last() > range.first() + 1 ? "-" : "").appendCodePoint(range.last());
            }
        }
        regex.append(singles.indexOf("[") >= 0 ? "[" : "");
        if (caretAlone) { // first it would mean "none of these"; with '^' and '-' alone the '-' can go before it
            return regex.append("-^]").toString();
        }
        return regex.append(singles.indexOf("^") >= 0 ? "^" : "")
                .append(singles.indexOf("-") >= 0 ? "-" : "")
                .append(']')
                .toString();
    }
}
