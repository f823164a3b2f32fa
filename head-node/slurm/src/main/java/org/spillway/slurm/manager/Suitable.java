package org.spillway.slurm.manager;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.spillway.policy.Resources;

/** On which of the declared types a job may run, by what its user asked for besides amounts. Pure. */
sealed interface Suitable {
    /**
     * @param types as {@code SITE/TYPE}; empty for any
     * @param perNode what it needs of each node: all of it, when it wants whole nodes
     * @param whole whether it shares its nodes with nobody
     */
    record On(List<String> types, Resources perNode, boolean whole) implements Suitable {
        public On {
            types = List.copyOf(types);
        }
    }

    /** No node is bought for it: one would come that it cannot use. @param sentence for its user */
    record Not(String sentence) implements Suitable {}

    /**
     * @param excluded Slurm's host list of nodes that it must not have
     * @param perNode as it asks for
     * @param declared of all sites
     * @param sites where it may run
     */
    static Suitable of(
            SlurmJob row, String excluded, Resources perNode, List<DeclaredType> declared, Collection<String> sites) {
        boolean plain = row.reservation().isEmpty()
                && row.requiredNodes().isEmpty()
                && row.features().isEmpty()
                && !row.exclusive()
                && excluded.isEmpty();
        if (plain) {
            return new On(List.of(), perNode, false);
        }
        if (!row.reservation().isEmpty()) {
            return new Not("no node is bought for a job with --reservation: new nodes are in no reservation of yours");
        }
        Set<String> without;
        List<String> required;
        try {
            without = new HashSet<>(HostList.names(excluded));
            required = HostList.names(row.requiredNodes());
        } catch (NumberFormatException unreadable) {
            return new Not("the host list of --exclude or --nodelist cannot be read");
        }
        List<DeclaredType> all =
                declared.stream().filter(one -> sites.contains(one.site())).toList();
        if (all.isEmpty()) {
            // Not known yet: nothing is bought where nothing is declared.
            return new On(List.of(), perNode, row.exclusive());
        }
        List<DeclaredType> left = all.stream()
                .filter(one -> one.names().stream().noneMatch(without::contains))
                .toList();
        if (left.isEmpty()) {
            return new Not("--exclude leaves no type of node: cloud nodes get their numbers when they come, so naming"
                    + " one excludes its type; name a type with --constraint");
        }
        List<DeclaredType> named =
                left.stream().filter(one -> one.names().containsAll(required)).toList();
        return named.isEmpty()
                ? new Not("--nodelist is supported on cloud partitions for nodes of one type, which --exclude leaves:"
                        + " name those of one, or a type with --constraint")
                : featured(row, perNode, named, all);
    }

    private static Suitable featured(SlurmJob row, Resources perNode, List<DeclaredType> left, List<DeclaredType> all) {
        List<DeclaredType> fit = left;
        if (!row.features().isEmpty()) {
            var expression = FeatureExpression.parse(row.features());
            if (expression.isEmpty()) {
                return new Not("--constraint is supported on cloud partitions as words with & or | between them, with"
                        + " parentheses where there are both");
            }
            List<FeatureExpression> ways =
                    row.minNodes() > 1 ? expression.get().alternatives() : List.of(expression.get());
            fit = ways.stream()
                    .map(way -> left.stream()
                            .filter(one -> way.isMetBy(one.features()))
                            .toList())
                    .filter(some -> !some.isEmpty())
                    .findFirst()
                    .orElse(List.of());
            if (fit.isEmpty()) {
                return new Not("--constraint: no node of its partitions has these features");
            }
        }
        return row.exclusive()
                ? whole(perNode, fit)
                : new On(fit.size() == all.size() ? List.of() : texts(fit), perNode, false);
    }

    /** A node that it has for itself: the smallest that it fits on, so that what is bought is what is counted. */
    private static Suitable whole(Resources perNode, List<DeclaredType> fit) {
        var smallest = fit.stream().filter(one -> perNode.fitsIn(one.whole())).min(DeclaredType.SMALLEST);
        if (smallest.isEmpty()) {
            return new Not("--exclusive: no node of its partitions is large enough for it");
        }
        Resources whole = smallest.get().whole();
        return new On(
                texts(fit.stream().filter(one -> one.whole().equals(whole)).toList()), whole, true);
    }

    private static List<String> texts(List<DeclaredType> types) {
        return types.stream().map(DeclaredType::text).sorted().toList();
    }
}
