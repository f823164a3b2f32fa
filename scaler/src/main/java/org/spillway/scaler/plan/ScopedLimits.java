package org.spillway.scaler.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;

/**
 * The limits of a snapshot with what this plan has already taken from them. All that apply hold at once: what may be
 * launched is the least over quota family, site, launches per minute, and the queues, users and accounts of all shapes that
 * a node is for. Lives within one decision.
 */
final class ScopedLimits {
    /** A limit, and how much of it this plan has taken. */
    static final class Entry {
        private final Limits.Limit limit;
        private long taken;

        Entry(Limits.Limit limit) {
            this.limit = limit;
        }

        private long left() {
            return Math.max(0, limit.left() - taken);
        }

        boolean isUsedUp() {
            return left() == 0;
        }

        /** The limit in words: "limit of user ada: 4 of 4 GPUs". */
        String text() {
            long used = saturated(limit.used(), taken);
            String amount = limit.unit() == Limits.Unit.MONEY_MICROS
                    ? "committed " + new Money(used) + " of " + new Money(limit.most())
                    : used + " of " + limit.most() + " " + unit();
            return switch (limit.scope()) {
                case LAUNCHES_PER_MINUTE ->
                    "site " + limit.name() + " has launched " + amount + " within the last minute";
                default -> "limit of " + holder() + ": " + amount;
            };
        }

        Bound bound(String text) {
            return new Bound(Bound.Kind.LIMIT, limit.scope() + " " + limit.name(), text);
        }

        /** With what one more node of the offering would take of what is left. */
        String text(Offering offering) {
            long one = perNode(this, offering, Money.ZERO);
            boolean tooLarge = left() > 0 && one > left();
            return text() + (tooLarge ? ", one more " + offering.id().instanceType() + " has " + one : "");
        }

        private String unit() {
            return switch (limit.unit()) {
                case NODES -> "nodes";
                case CPUS -> "CPUs";
                case GPUS -> "GPUs";
                case LICENCES -> "licences";
                case MONEY_MICROS -> "";
            };
        }

        private String holder() {
            int slash = limit.name().indexOf('/');
            return switch (limit.scope()) {
                case QUOTA_FAMILY ->
                    slash < 0
                            ? "quota family " + limit.name()
                            : "quota family " + limit.name().substring(slash + 1) + " of site "
                                    + limit.name().substring(0, slash);
                case SITE, LAUNCHES_PER_MINUTE -> "site " + limit.name();
                case QUEUE -> "queue " + limit.name();
                case USER -> "user " + limit.name();
                case ACCOUNT -> "account " + limit.name();
                case LICENCE -> "licence " + limit.name();
                case ALL -> "the whole fleet";
            };
        }
    }

    private record Key(Limits.Scope scope, String name) {}

    private static final Comparator<Limits.Limit> IN_ORDER = Comparator.comparing(Limits.Limit::scope)
            .thenComparing(Limits.Limit::name)
            .thenComparing(Limits.Limit::unit)
            .thenComparingLong(Limits.Limit::most)
            .thenComparingLong(Limits.Limit::used);

    private final Map<Key, List<Entry>> entries = new HashMap<>();

    ScopedLimits(Limits limits) {
        limits.scoped().stream()
                .sorted(IN_ORDER)
                .forEach(
                        limit -> entries.computeIfAbsent(new Key(limit.scope(), limit.name()), key -> new ArrayList<>())
                                .add(new Entry(limit)));
    }

    /** The limits of the place where a node of the offering would be. */
    List<Entry> of(Offering offering) {
        if (entries.isEmpty()) {
            return List.of();
        }
        String site = offering.id().site();
        List<Entry> all = new ArrayList<>();
        if (!offering.quotaFamily().isEmpty()) {
            all.addAll(find(Limits.Scope.QUOTA_FAMILY, site + "/" + offering.quotaFamily()));
        }
        all.addAll(find(Limits.Scope.SITE, site));
        all.addAll(find(Limits.Scope.LAUNCHES_PER_MINUTE, site));
        all.addAll(find(Limits.Scope.ALL, ""));
        return all;
    }

    /** The limits of those for whom a node would be. */
    List<Entry> of(List<Demand> waiting) {
        if (entries.isEmpty()) {
            return List.of();
        }
        List<Entry> all = new ArrayList<>();
        names(waiting, Demand::queue).forEach(name -> all.addAll(find(Limits.Scope.QUEUE, name)));
        names(waiting, demand -> demand.terms().user()).forEach(name -> all.addAll(find(Limits.Scope.USER, name)));
        names(waiting, demand -> demand.terms().account())
                .forEach(name -> all.addAll(find(Limits.Scope.ACCOUNT, name)));
        return all;
    }

    /** Licences that are left; {@link Long#MAX_VALUE} where nobody counts them. */
    long licencesLeft(String name) {
        return find(Limits.Scope.LICENCE, name).stream()
                .mapToLong(Entry::left)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    void takeLicences(String name, long count) {
        find(Limits.Scope.LICENCE, name).forEach(entry -> entry.taken = saturated(entry.taken, count));
    }

    String licenceText(String name) {
        return find(Limits.Scope.LICENCE, name).stream()
                .min(Comparator.comparingLong(Entry::left))
                .map(Entry::text)
                .orElse("");
    }

    private static Stream<String> names(List<Demand> waiting, Function<Demand, String> of) {
        return waiting.stream()
                .map(of)
                .filter(name -> !name.isEmpty())
                .distinct()
                .sorted();
    }

    private List<Entry> find(Limits.Scope scope, String name) {
        return entries.getOrDefault(new Key(scope, name), List.of());
    }

    /** How many more nodes of the offering one limit permits. */
    static long nodes(Entry entry, Offering offering, Money each) {
        long one = perNode(entry, offering, each);
        return one == 0 ? Long.MAX_VALUE : entry.left() / one;
    }

    /** Whether a node of it would be within the limit, as far as that is known without its job. */
    static boolean permitsOne(Entry entry, Offering offering) {
        return entry.limit.unit() == Limits.Unit.MONEY_MICROS
                ? !entry.isUsedUp()
                : nodes(entry, offering, Money.ZERO) > 0;
    }

    static void take(List<Entry> all, Offering offering, Money each, int count) {
        for (Entry entry : all) {
            entry.taken = saturated(entry.taken, saturatedProduct(perNode(entry, offering, each), count));
        }
    }

    /** Whether so much more is left of a limit. */
    static boolean leaves(Entry entry, long each, int count) {
        return saturatedProduct(each, count) <= entry.left();
    }

    static void take(Entry entry, long each, int count) {
        entry.taken = saturated(entry.taken, saturatedProduct(each, count));
    }

    /** The amount of a limit that one node of an offering takes. */
    static long perNode(Entry entry, Offering offering, Money each) {
        return switch (entry.limit.unit()) {
            case NODES -> 1;
            case CPUS -> offering.resources().cpus();
            case GPUS -> offering.resources().gpus();
            case LICENCES -> 0;
            case MONEY_MICROS -> each.micros();
        };
    }

    private static long saturated(long a, long b) {
        long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    private static long saturatedProduct(long a, long b) {
        return a != 0 && b > Long.MAX_VALUE / a ? Long.MAX_VALUE : a * b;
    }
}
