package org.spillway.head.audit;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The journal's words about one site at one moment.
 *
 * @param nodes live ones, and those that ended so shortly ago that what went with them may not be gone yet
 * @param open intents whose end is not known
 * @param groups fabric groups of live nodes and open intents
 * @param removed ids of children, clusters on demand, that are no more: what bears one is left over
 */
public record Books(Set<Holder> nodes, Set<String> open, Set<String> groups, Set<String> removed) {
    public static final Books EMPTY = new Books(Set.of(), Set.of(), Set.of());

    public Books {
        nodes = Set.copyOf(nodes);
        open = Set.copyOf(open);
        groups = Set.copyOf(groups);
        removed = Set.copyOf(removed);
    }

    /** Of a head that has removed no child. */
    public Books(Set<Holder> nodes, Set<String> open, Set<String> groups) {
        this(nodes, open, groups, Set.of());
    }

    /**
     * A node that owns an instance, or will.
     *
     * @param node its id
     * @param director whether it is one
     * @param live whether it has not ended; one that has owns no instance any more, only what goes with it
     * @param intent that it was launched under
     * @param instance the provider's id; null until one is named
     * @param user whose job runs on it; empty for none
     */
    public record Holder(
            String node,
            boolean director,
            boolean live,
            String intent,
            @Nullable String instance,
            String user) {
        String words() {
            return (director ? "director " : "node ")
                    + node
                    + (user.isEmpty() ? "" : " (" + user + ")")
                    + (live ? "" : ", which has just ended");
        }
    }

    /** Both readings together: a thing that was owned before or after the bill was read was owned. */
    public Books or(Books other) {
        Set<String> removedInBoth = new LinkedHashSet<>(removed);
        removedInBoth.retainAll(other.removed);
        return new Books(both(nodes, other.nodes), both(open, other.open), both(groups, other.groups), removedInBoth);
    }

    private static <T> Set<T> both(Collection<T> one, Collection<T> other) {
        Set<T> all = new LinkedHashSet<>(one);
        all.addAll(other);
        return all;
    }
}
