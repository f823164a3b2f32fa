package org.spillway.stage.tree;

import java.util.List;

/**
 * A pattern's part about one name between slashes.
 *
 * @param tokens what it is made of; a single {@link AnyFolders} stands for any number of names
 */
record GlobSegment(List<Token> tokens) {
    /** A piece of a segment. */
    sealed interface Token {}

    /** This one character. */
    record Literal(int symbol) implements Token {}

    /** Any one character. */
    record One() implements Token {}

    /** Any characters, or none. */
    record Star() implements Token {}

    /** {@code **}. */
    record AnyFolders() implements Token {}

    /** A character that is in one of the ranges, or in none of them. */
    record OneOf(boolean negated, List<Range> ranges) implements Token {
        OneOf {
            ranges = List.copyOf(ranges);
        }
    }

    /** Characters from first to last, both included. */
    record Range(int first, int last) {
        boolean has(int symbol) {
            return symbol >= first && symbol <= last;
        }
    }

    GlobSegment {
        tokens = List.copyOf(tokens);
    }

    boolean isAnyFolders() {
        return tokens.getFirst() instanceof AnyFolders;
    }

    boolean isFixed() {
        return tokens.stream().allMatch(Literal.class::isInstance);
    }

    /** The name of a fixed segment. */
    String name() {
        StringBuilder name = new StringBuilder();
        for (Token token : tokens) {
            if (token instanceof Literal literal) {
                name.appendCodePoint(literal.symbol());
            }
        }
        return name.toString();
    }

    /** {@link AnyFolders} matches every name that is not hidden. */
    boolean matches(String name) {
        int[] symbols = name.codePoints().toArray();
        if (symbols.length == 0 || (symbols[0] == '.' && !startsWithDot())) {
            return false;
        }
        if (isAnyFolders()) {
            return true;
        }
        int token = 0;
        int symbol = 0;
        int lastStar = -1;
        int takenByStar = 0;
        while (symbol < symbols.length) { // a star takes one more each time what follows it does not fit
            if (token < tokens.size() && tokens.get(token) instanceof Star) {
                lastStar = token++;
                takenByStar = symbol;
            } else if (token < tokens.size() && takes(tokens.get(token), symbols[symbol])) {
                token++;
                symbol++;
            } else if (lastStar >= 0) {
                token = lastStar + 1;
                symbol = ++takenByStar;
            } else {
                return false;
            }
        }
        while (token < tokens.size() && tokens.get(token) instanceof Star) {
            token++;
        }
        return token == tokens.size();
    }

    private boolean startsWithDot() {
        return tokens.getFirst() instanceof Literal literal && literal.symbol() == '.';
    }

    private static boolean takes(Token token, int symbol) {
        return switch (token) {
            case Literal literal -> literal.symbol() == symbol;
            case One one -> true;
            case OneOf set -> set.ranges().stream().anyMatch(range -> range.has(symbol)) != set.negated();
            case Star star -> false;
            case AnyFolders any -> false;
        };
    }
}
