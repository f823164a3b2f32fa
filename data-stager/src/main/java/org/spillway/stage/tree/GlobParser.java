package org.spillway.stage.tree;

import java.util.ArrayList;
import java.util.List;
import org.spillway.stage.tree.GlobSegment.AnyFolders;
import org.spillway.stage.tree.GlobSegment.Literal;
import org.spillway.stage.tree.GlobSegment.One;
import org.spillway.stage.tree.GlobSegment.OneOf;
import org.spillway.stage.tree.GlobSegment.Range;
import org.spillway.stage.tree.GlobSegment.Star;
import org.spillway.stage.tree.GlobSegment.Token;

/** Reads a pattern: first its braces are expanded, as bash does, then each alternative is cut into names. */
final class GlobParser {
    /** Most characters of all alternatives together: their regular expression has to fit into one argument. */
    private static final int EXPANDED_MAX = 8192;

    private static final int DEPTH_MAX = 16;

    /** @param base names of the fixed part */
    record Parsed(boolean absolute, boolean plain, List<List<GlobSegment>> alternatives, List<String> base) {}

    /** @param position counted from 1 */
    private record Unit(int symbol, boolean escaped, int position) {
        boolean is(int special) {
            return symbol == special && !escaped;
        }
    }

    private final String text;
    private final List<Unit> units = new ArrayList<>();
    private int at;

    GlobParser(String text) {
        this.text = text;
    }

    Parsed parse() {
        if (text.isEmpty() || text.length() > Glob.TEXT_MAX) {
            throw new IllegalArgumentException(
                    text.isEmpty()
                            ? "a pattern is empty"
                            : "a pattern is longer than " + Glob.TEXT_MAX + " characters");
        }
        readUnits();
        List<List<Unit>> expanded = sequence(0);
        List<List<GlobSegment>> alternatives = new ArrayList<>();
        boolean absolute = isAbsolute(expanded.getFirst());
        for (List<Unit> alternative : expanded) {
            if (alternative.isEmpty()) {
                throw wrong(1, "one of its alternatives is empty");
            }
            if (isAbsolute(alternative) != absolute) {
                throw wrong(1, "some of its alternatives begin with '/' and some do not");
            }
            alternatives.add(segments(alternative));
        }
        boolean plain = alternatives.size() == 1
                && units.stream().noneMatch(unit -> unit.is('{'))
                && alternatives.getFirst().stream().allMatch(GlobSegment::isFixed);
        return new Parsed(absolute, plain, List.copyOf(alternatives), base(alternatives, plain));
    }

    private IllegalArgumentException wrong(int position, String what) {
        return new IllegalArgumentException(
                "pattern '" + text.replaceAll("\\p{Cntrl}", "?") + "', position " + position + ": " + what);
    }

    private void readUnits() {
        for (int i = 0; i < text.length(); ) {
            int symbol = text.codePointAt(i);
            int position = i + 1;
            i += Character.charCount(symbol);
            boolean escape = symbol == '\\';
            if (escape) {
                if (i == text.length()) {
                    throw wrong(position, "a backslash with nothing behind it; write \\\\ for a backslash itself");
                }
                symbol = text.codePointAt(i);
                i += Character.charCount(symbol);
            }
            if (symbol == 0) {
                throw wrong(position, "a zero byte cannot be in a path");
            }
            units.add(new Unit(symbol, escape, position));
        }
    }

    private static boolean isAbsolute(List<Unit> alternative) {
        return !alternative.isEmpty() && alternative.getFirst().symbol() == '/';
    }

    /** Expansions of the text up to its end, or up to the comma or brace that ends it inside of braces. */
    private List<List<Unit>> sequence(int depth) {
        List<List<Unit>> results = new ArrayList<>(List.of(List.of()));
        while (at < units.size()) {
            Unit unit = units.get(at);
            if (depth > 0 && (unit.is(',') || unit.is('}'))) {
                break;
            }
            if (unit.is('}')) {
                throw wrong(unit.position(), "'}' without '{'; write \\} for the character itself");
            }
            List<List<Unit>> options;
            if (unit.is('{')) {
                at++;
                options = braces(unit, depth + 1);
            } else {
                options = List.of(ordinary(depth));
            }
            results = product(unit, results, options);
        }
        return results;
    }

    /** All up to the next character that means something here: one at a time would cost the square of the length. */
    private List<Unit> ordinary(int depth) {
        int from = at;
        while (at < units.size()) {
            Unit unit = units.get(at);
            if (unit.is('{') || unit.is('}') || (depth > 0 && unit.is(','))) {
                break;
            }
            at++;
        }
        return List.copyOf(units.subList(from, at));
    }

    private List<List<Unit>> braces(Unit open, int depth) {
        if (depth > DEPTH_MAX) {
            throw wrong(open.position(), "braces are nested deeper than " + DEPTH_MAX);
        }
        List<List<Unit>> options = new ArrayList<>();
        int parts = 0;
        while (true) {
            options.addAll(sequence(depth));
            bound(open, options);
            parts++;
            if (at == units.size()) {
                throw wrong(open.position(), "'{' is not closed; write \\{ for the character itself");
            }
            if (units.get(at++).is('}')) {
                break;
            }
        }
        if (parts == 1) {
            throw wrong(open.position(), "braces without a comma; write {a,b}, or \\{ for the character itself");
        }
        return options;
    }

    private List<List<Unit>> product(Unit where, List<List<Unit>> heads, List<List<Unit>> tails) {
        if (heads.size() * tails.size() > Glob.ALTERNATIVES_MAX) {
            throw tooMany(where);
        }
        List<List<Unit>> results = new ArrayList<>();
        for (List<Unit> head : heads) {
            for (List<Unit> tail : tails) {
                List<Unit> both = new ArrayList<>(head.size() + tail.size());
                both.addAll(head);
                both.addAll(tail);
                results.add(both);
            }
        }
        bound(where, results);
        return results;
    }

    private void bound(Unit where, List<List<Unit>> results) {
        if (results.size() > Glob.ALTERNATIVES_MAX) {
            throw tooMany(where);
        }
        if (results.stream().mapToInt(List::size).sum() > EXPANDED_MAX) {
            throw wrong(where.position(), "its alternatives together are longer than " + EXPANDED_MAX + " characters");
        }
    }

    private IllegalArgumentException tooMany(Unit where) {
        return wrong(where.position(), "braces expand to more than " + Glob.ALTERNATIVES_MAX + " alternatives");
    }

    private List<GlobSegment> segments(List<Unit> alternative) {
        List<GlobSegment> segments = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= alternative.size(); i++) {
            if (i == alternative.size() || alternative.get(i).symbol() == '/') {
                List<Unit> name = alternative.subList(start, i);
                start = i + 1;
                if (name.isEmpty() || isDots(name, 1)) {
                    continue;
                }
                if (isDots(name, 2)) {
                    throw wrong(name.getFirst().position(), "'..' cannot be in a pattern");
                }
                GlobSegment segment = new GlobSegment(tokens(name));
                boolean again = segment.isAnyFolders()
                        && !segments.isEmpty()
                        && segments.getLast().isAnyFolders();
                if (!again) {
                    segments.add(segment);
                }
            }
        }
        return List.copyOf(segments);
    }

    private static boolean isDots(List<Unit> name, int count) {
        return name.size() == count && name.stream().allMatch(unit -> unit.symbol() == '.');
    }

    private List<Token> tokens(List<Unit> name) {
        if (name.size() == 2 && name.stream().allMatch(unit -> unit.is('*'))) {
            return List.of(new AnyFolders());
        }
        List<Token> tokens = new ArrayList<>();
        for (int i = 0; i < name.size(); i++) {
            Unit unit = name.get(i);
            if (unit.is('[')) {
                int end = closing(name, i);
                tokens.add(oneOf(unit, name.subList(i + 1, end)));
                i = end;
            } else if (unit.is('*')) {
                if (i > 0 && name.get(i - 1).is('*')) {
                    throw wrong(unit.position(), "'**' has to be alone between slashes, as in a/**/*.csv");
                }
                tokens.add(new Star());
            } else {
                tokens.add(unit.is('?') ? new One() : new Literal(unit.symbol()));
            }
        }
        return tokens;
    }

    private int closing(List<Unit> name, int open) {
        int first = open + 1 < name.size() && isNot(name.get(open + 1)) ? open + 2 : open + 1;
        for (int i = first + 1; i < name.size(); i++) { // the first one, even if it is ']', belongs to the set
            if (name.get(i).is(']')) {
                return i;
            }
        }
        throw wrong(
                name.get(open).position(),
                "'[' is not closed before the next slash; write \\[ for the character itself");
    }

    private static boolean isNot(Unit unit) {
        return unit.is('!') || unit.is('^');
    }

    private OneOf oneOf(Unit open, List<Unit> inside) {
        boolean negated = isNot(inside.getFirst());
        List<Unit> members = inside.subList(negated ? 1 : 0, inside.size());
        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            Unit first = members.get(i);
            if (first.is('[')
                    && i + 1 < members.size()
                    && ":.=".indexOf(members.get(i + 1).symbol()) >= 0) {
                throw wrong(first.position(), "named classes such as [:alpha:] are not known; write a range");
            }
            boolean range = i + 2 < members.size() && members.get(i + 1).is('-');
            Unit last = range ? members.get(i + 2) : first;
            if (last.symbol() < first.symbol()) {
                throw wrong(first.position(), "a range that ends before it begins");
            }
            ranges.add(new Range(first.symbol(), last.symbol()));
            i += range ? 2 : 0;
        }
        if (ranges.isEmpty()) {
            throw wrong(open.position(), "an empty set of characters");
        }
        return new OneOf(negated, ranges);
    }

    private static List<String> base(List<List<GlobSegment>> alternatives, boolean plain) {
        List<String> base = fixed(alternatives.getFirst(), plain);
        for (List<GlobSegment> alternative : alternatives) {
            List<String> other = fixed(alternative, plain);
            int same = 0;
            while (same < Math.min(base.size(), other.size()) && base.get(same).equals(other.get(same))) {
                same++;
            }
            base = base.subList(0, same);
        }
        return List.copyOf(base);
    }

    private static List<String> fixed(List<GlobSegment> alternative, boolean plain) {
        List<String> names = new ArrayList<>();
        for (int i = 0;
                i < alternative.size() - (plain ? 0 : 1) && alternative.get(i).isFixed();
                i++) {
            names.add(alternative.get(i).name());
        }
        return names;
    }
}
