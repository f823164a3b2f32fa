package org.spillway.head.limits;

import java.util.List;
import org.spillway.policy.Limits;

/**
 * A limit as the administrator has set it.
 *
 * @param name of the site, queue, user, account or licence; {@link #EACH} for each queue, user or account by itself;
 *     empty for all sites together
 * @param types of instances that count, each a name or one that ends in {@code *}; empty for all. Only with a site
 * @param most of the unit; for money in millionths
 * @param span for which money is counted; {@link Span#NOW} for all else
 */
public record Cap(Limits.Scope scope, String name, List<String> types, Limits.Unit unit, long most, Span span) {
    public static final String EACH = "*";

    public Cap {
        types = List.copyOf(types);
        if (most < 0 || (unit == Limits.Unit.MONEY_MICROS) == (span == Span.NOW)) {
            throw new IllegalArgumentException("limit of " + scope + " " + name + " in " + unit + " per " + span);
        }
    }

    /** Of what time. */
    public enum Span {
        NOW,
        DAY,
        MONTH
    }

    /** The name by which the planner knows what it is about. */
    public String limitName() {
        return types.isEmpty() ? name : name + "/" + family();
    }

    /** Of the types together, as a provider's quota has one. */
    public String family() {
        return String.join(",", types);
    }

    /** Whether an instance type is one of those that count. */
    public boolean counts(String type) {
        return isAmong(types, type);
    }

    /** @param types names, or their beginnings and {@code *}; none for all */
    public static boolean isAmong(List<String> types, String type) {
        return types.isEmpty()
                || types.stream()
                        .anyMatch(one -> one.endsWith("*")
                                ? type.startsWith(one.substring(0, one.length() - 1))
                                : type.equals(one));
    }
}
