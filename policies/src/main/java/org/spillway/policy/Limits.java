package org.spillway.policy;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits that the host checks before every step, whatever a policy wishes.
 *
 * @param maxNodesBySite nodes that may exist at once in a site, in flight included
 * @param budgetLeft what may still be committed in this budget period; already without running and in-flight nodes
 * @param scoped all others: quota families, queues, users, accounts, licences, launches per minute
 * @param period of the budget; null when it is not known
 */
public record Limits(
        Map<String, Integer> maxNodesBySite,
        Money budgetLeft,
        List<Limit> scoped,
        @Nullable Period period) {
    public Limits {
        maxNodesBySite = Map.copyOf(maxNodesBySite);
        // Written before schema 2.
        scoped = scoped == null ? List.of() : List.copyOf(scoped);
    }

    public Limits(Map<String, Integer> maxNodesBySite, Money budgetLeft, List<Limit> scoped) {
        this(maxNodesBySite, budgetLeft, scoped, null);
    }

    /** With no limits but those of the sites and the one budget. */
    public Limits(Map<String, Integer> maxNodesBySite, Money budgetLeft) {
        this(maxNodesBySite, budgetLeft, List.of());
    }

    /**
     * The stretch of time for which a budget is.
     *
     * @param limit of the whole period
     */
    public record Period(Money limit, Instant from, Instant until) {}

    /**
     * A limit among many, all of which hold at once.
     *
     * @param name of the family, queue, user, account, licence or site; for a family {@code SITE/FAMILY}
     * @param most that there may be at once; for {@link Unit#MONEY_MICROS} in the limit's own period, a day or a month
     * @param used of it now, with what is in flight; may be more than {@code most} after a limit was lowered
     */
    public record Limit(Scope scope, String name, Unit unit, long most, long used) {
        public Limit {
            if (most < 0 || used < 0) {
                throw new IllegalArgumentException("limit " + scope + " " + name + " is negative");
            }
        }

        /** 0 or more. */
        public long left() {
            return Math.max(0, most - used);
        }
    }

    /** Of what a limit is. */
    public enum Scope {
        /** The provider's quota of a family of instance types in a site. */
        QUOTA_FAMILY,
        SITE,
        QUEUE,
        USER,
        ACCOUNT,
        LICENCE,
        /** Launches of a site within the last minute. */
        LAUNCHES_PER_MINUTE,
        /** All sites together; its name is empty. */
        ALL
    }

    /** In what a limit is counted. */
    public enum Unit {
        NODES,
        CPUS,
        GPUS,
        LICENCES,
        MONEY_MICROS
    }
}
