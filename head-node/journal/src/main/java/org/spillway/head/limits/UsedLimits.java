package org.spillway.head.limits;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;

/**
 * The limits with what is used of them, from the records of nodes.
 *
 * <p>A live node, in flight or not, counts as a whole for those whom {@link NodeRecord#heldNow} names: whom it was bought
 * for, then whose jobs it has or had last. Its price counts for them as long as they held it; the last of them bear the
 * rest of what is reserved. A node of several counts for each of them, as it does for the planner. Nodes at home count
 * for their site only, and directors only as money and as launches of their site. What sites take for letting results
 * out counts for those whose jobs they are of.
 *
 * <p>O(n s) for n nodes of the last month with s stretches, for each limit in money; O(n) for the others.
 */
public final class UsedLimits {
    private final Collection<NodeRecord> nodes;
    private final Set<String> home;
    private final Collection<Charge> charges;
    private final Map<String, Long> licences;
    private final Function<Cap.Span, Instant> begin;
    private final Instant now;

    /**
     * @param nodes live ones, and ended ones of this month
     * @param home sites at home
     * @param charges of this month, and what is expected to be charged
     * @param licences that running jobs have, by name
     * @param begin when the day or month began
     */
    public UsedLimits(
            Collection<NodeRecord> nodes,
            Set<String> home,
            Collection<Charge> charges,
            Map<String, Long> licences,
            Function<Cap.Span, Instant> begin,
            Instant now) {
        this.nodes = nodes;
        this.home = home;
        this.charges = charges;
        this.licences = licences;
        this.begin = begin;
        this.now = now;
    }

    /** @param demands that wait: a limit of each user is told for those among them */
    public List<Limits.Limit> of(List<Cap> caps, List<Demand> demands) {
        return of(caps, scope -> names(scope, demands));
    }

    /** @param names for whom a limit of each queue, user or account is told */
    public List<Limits.Limit> of(List<Cap> caps, Function<Limits.Scope, Set<String>> names) {
        List<Limits.Limit> limits = new ArrayList<>();
        for (Cap cap : caps) {
            if (cap.name().equals(Cap.EACH)) {
                Set<String> own = own(caps, cap);
                names.apply(cap.scope()).stream()
                        .sorted()
                        .filter(name -> !own.contains(name))
                        .forEach(name -> limits.add(limit(cap, name)));
            } else {
                limits.add(limit(cap, cap.name()));
            }
        }
        return List.copyOf(limits);
    }

    /** Names that have such a limit of their own: the one of each is not for them. */
    private static Set<String> own(List<Cap> caps, Cap each) {
        Set<String> own = new TreeSet<>();
        caps.stream()
                .filter(cap -> cap.scope() == each.scope() && cap.unit() == each.unit() && cap.span() == each.span())
                .forEach(cap -> own.add(cap.name()));
        return own;
    }

    private static Set<String> names(Limits.Scope scope, List<Demand> demands) {
        Set<String> names = new TreeSet<>();
        for (Demand demand : demands) {
            names.add(
                    switch (scope) {
                        case QUEUE -> demand.queue();
                        case USER -> demand.terms().user();
                        case ACCOUNT -> demand.terms().account();
                        case QUOTA_FAMILY, SITE, LICENCE, LAUNCHES_PER_MINUTE, ALL -> "";
                    });
        }
        names.remove("");
        return names;
    }

    private Limits.Limit limit(Cap cap, String name) {
        String known = cap.types().isEmpty() ? name : cap.limitName();
        return new Limits.Limit(cap.scope(), known, cap.unit(), cap.most(), used(cap, name));
    }

    private long used(Cap cap, String name) {
        return switch (cap.scope()) {
            case LICENCE -> licences.getOrDefault(name, 0L);
            case LAUNCHES_PER_MINUTE -> launched(name);
            case QUOTA_FAMILY, SITE, QUEUE, USER, ACCOUNT, ALL ->
                cap.span() == Cap.Span.NOW ? held(cap, name) : spent(cap, name);
        };
    }

    private long launched(String site) {
        Instant from = now.minus(Duration.ofMinutes(1));
        return nodes.stream()
                .filter(node -> node.site().equals(site)
                        && node.costFrom() != null
                        && node.costFrom().isAfter(from))
                .count();
    }

    private long held(Cap cap, String name) {
        long sum = 0;
        for (NodeRecord node : nodes) {
            if (node.isLive() && !node.isDirector() && isIn(node, cap, name) && isOf(node.heldNow(), cap, name)) {
                sum += switch (cap.unit()) {
                    case NODES -> 1;
                    case CPUS -> node.resources().cpus();
                    case GPUS -> node.resources().gpus();
                    case LICENCES, MONEY_MICROS -> 0;
                };
            }
        }
        return sum;
    }

    /** Whether a node's place is one that the limit is about. */
    private boolean isIn(NodeRecord node, Cap cap, String name) {
        return switch (cap.scope()) {
            case SITE, QUOTA_FAMILY ->
                node.site().equals(name)
                        && cap.counts(node.offering().instanceType())
                        && (cap.types().isEmpty() || !node.isDirector());
            default -> !home.contains(node.site());
        };
    }

    private static boolean isOf(Holders holders, Cap cap, String name) {
        return switch (cap.scope()) {
            case QUEUE -> holders.queues().contains(name);
            case USER -> holders.users().contains(name);
            case ACCOUNT -> holders.accounts().contains(name);
            case SITE, QUOTA_FAMILY, ALL, LAUNCHES_PER_MINUTE, LICENCE -> true;
        };
    }

    private long spent(Cap cap, String name) {
        Instant since = begin.apply(cap.span());
        long micros = 0;
        for (NodeRecord node : nodes) {
            if (isIn(node, cap, name)) {
                micros += switch (cap.scope()) {
                    case QUEUE, USER, ACCOUNT -> spentFor(node, cap, name, since);
                    default -> price(node, since, end(node));
                };
            }
        }
        for (Charge charge : charges) {
            if (charge.isOf(cap, name) && !charge.at().isBefore(since)) {
                micros += charge.price().micros();
            }
        }
        return Math.max(0, micros);
    }

    private long spentFor(NodeRecord node, Cap cap, String name, Instant since) {
        List<Purchase.Stretch> stretches = node.stretches();
        long micros = 0;
        for (int i = 0; i < stretches.size(); i++) {
            if (isOf(stretches.get(i).holders(), cap, name)) {
                Instant from = stretches.get(i).from();
                Instant to = i + 1 < stretches.size() ? stretches.get(i + 1).from() : end(node);
                micros += price(node, from.isAfter(since) ? from : since, to);
            }
        }
        return micros;
    }

    /** When its price stops to count, as the budget sees it. */
    private Instant end(NodeRecord node) {
        Instant from = node.costFrom();
        Instant to = node.costTo();
        if (from == null || to != null) {
            return to == null ? now : to;
        }
        Instant reserved = from.plus(node.committedFor());
        return reserved.isAfter(now) ? reserved : now;
    }

    private static long price(NodeRecord node, Instant since, Instant to) {
        Instant from = node.costFrom();
        if (from == null) {
            return 0;
        }
        Instant begin = from.isAfter(since) ? from : since;
        return to.isAfter(begin)
                ? node.pricePerHour().perHourFor(Duration.between(begin, to)).micros()
                : Money.ZERO.micros();
    }

    /** Licences that jobs have, by name. @param each what one job has */
    public static Map<String, Long> sum(Collection<Map<String, Integer>> each) {
        Map<String, Long> sum = new TreeMap<>();
        each.forEach(one -> one.forEach((name, count) -> sum.merge(name, (long) count, Long::sum)));
        return sum;
    }
}
