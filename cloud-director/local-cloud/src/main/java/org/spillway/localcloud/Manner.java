package org.spillway.localcloud;

import java.util.Set;
import java.util.TreeSet;

/**
 * The way in which a front answers.
 *
 * @param strict whether it refuses what its provider's documents call invalid, where else it is lenient
 * @param kinds what can be wrong with its account, as {@link ApiFront#brokenKinds()} has it
 * @param broken words of {@code --broken}: what is wrong with its account, of these kinds
 */
public record Manner(boolean strict, Set<String> kinds, Set<String> broken) {
    /** Lenient, with an account that is as it should be. */
    public static final Manner PLAIN = new Manner(false, Set.of(), Set.of());

    /** The end of a kind that takes an action's name in its place. */
    public static final String ACTION = ":ACTION";

    /** @throws IllegalArgumentException for a word that is none of the kinds, with those */
    public Manner {
        kinds = Set.copyOf(kinds);
        broken = Set.copyOf(broken);
        for (String word : broken) {
            if (word.endsWith(ACTION) || !kinds.contains(word.replaceFirst(":[A-Za-z./]+$", ACTION))) {
                throw new IllegalArgumentException("found '" + word + "'; "
                        + (kinds.isEmpty()
                                ? "nothing of that kind goes without --api"
                                : "allowed: " + String.join(", ", new TreeSet<>(kinds))));
            }
        }
    }

    /** The same with another account. */
    Manner broken(Set<String> otherwise) {
        return new Manner(strict, kinds, otherwise);
    }

    /** Whether the account is broken so. @param kind as in {@code --broken} */
    public boolean is(String kind) {
        return broken.contains(kind);
    }

    /** Whether the account is broken so for an action. @param kind without {@link #ACTION} */
    public boolean is(String kind, String action) {
        return broken.stream().anyMatch(word -> word.equalsIgnoreCase(kind + ":" + action));
    }
}
