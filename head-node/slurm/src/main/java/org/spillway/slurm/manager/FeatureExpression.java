package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The expression of {@code --constraint} about one node's features: words with {@code &} (or a comma) or {@code |}
 * between them, and parentheses. {@code [a|b]} is one of them for all nodes of a job. Pure.
 */
sealed interface FeatureExpression {
    /** Deeper is nonsense. */
    int DEEPEST = 20;

    boolean isMetBy(Set<String> features);

    record Word(String feature) implements FeatureExpression {
        @Override
        public boolean isMetBy(Set<String> features) {
            return features.contains(feature);
        }
    }

    record All(List<FeatureExpression> parts) implements FeatureExpression {
        public All {
            parts = List.copyOf(parts);
        }

        @Override
        public boolean isMetBy(Set<String> features) {
            return parts.stream().allMatch(part -> part.isMetBy(features));
        }
    }

    /** @param same whether all nodes of a job have to choose the same */
    record Any(List<FeatureExpression> parts, boolean same) implements FeatureExpression {
        public Any {
            parts = List.copyOf(parts);
        }

        @Override
        public boolean isMetBy(Set<String> features) {
            return parts.stream().anyMatch(part -> part.isMetBy(features));
        }
    }

    /** Ways of which all nodes of a job take the same one; itself when there is only one. */
    default List<FeatureExpression> alternatives() {
        return this instanceof Any(var parts, boolean same) && same ? parts : List.of(this);
    }

    /** Empty when it is none that is understood: counts of nodes ({@code a*2}), and {@code &} and {@code |} without parentheses. */
    static Optional<FeatureExpression> parse(String text) {
        var reader = new Reader(text);
        var read = reader.expression(0);
        return reader.failed || reader.at < text.length() ? Optional.empty() : Optional.of(read);
    }

    final class Reader {
        private final String text;
        private int at;
        private boolean failed;

        Reader(String text) {
            this.text = text;
        }

        private FeatureExpression expression(int depth) {
            List<FeatureExpression> parts = new ArrayList<>();
            parts.add(term(depth));
            char operator = 0;
            while (!failed && at < text.length() && "&,|".indexOf(text.charAt(at)) >= 0) {
                char next = text.charAt(at++) == '|' ? '|' : '&';
                failed = operator != 0 && operator != next;
                operator = next;
                parts.add(term(depth));
            }
            return parts.size() == 1 ? parts.getFirst() : operator == '|' ? new Any(parts, false) : new All(parts);
        }

        private FeatureExpression term(int depth) {
            char open = at < text.length() ? text.charAt(at) : 0;
            if ((open == '(' || open == '[') && depth < DEEPEST) {
                at++;
                var inner = expression(depth + 1);
                char close = open == '(' ? ')' : ']';
                failed |= at >= text.length() || text.charAt(at) != close;
                at++;
                // Within something else it would have to be the same there, too.
                failed |= open == '[' && depth > 0;
                return open == '[' && inner instanceof Any(var parts, boolean same) ? new Any(parts, true) : inner;
            }
            int from = at;
            while (at < text.length() && isOfWord(text.charAt(at))) {
                at++;
            }
            failed |= at == from;
            return new Word(text.substring(from, at));
        }

        private static boolean isOfWord(char character) {
            return Character.isLetterOrDigit(character) || "._-+:=/".indexOf(character) >= 0;
        }
    }
}
