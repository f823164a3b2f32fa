package org.spillway.scaler.plan;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Fabric;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.plan.Bound.Kind;

/**
 * How many nodes of an offering may be launched, with what this plan has already taken: the least over the offering's
 * health, breakers, the site's nodes, the budget, and all scoped limits. Lives within one decision.
 */
final class LaunchGate {
    /** The longest time that is reserved for one node; a longer walltime is a missing one. */
    static final Duration LONGEST_RESERVED = Duration.ofDays(366);

    private final Instant now;
    private final DateTimeFormatter clock;
    private final Map<OfferingId, Offering> offerings = new HashMap<>();
    private final Map<OfferingId, OfferingStatus> statuses = new HashMap<>();
    private final Map<OfferingId, Integer> launched = new HashMap<>();
    private final Map<String, Integer> maxNodes;
    private final Map<String, Integer> nodes = new HashMap<>();
    private final ScopedLimits limits;
    private final Map<String, ClusterSnapshot.Breaker> breakers = new HashMap<>();
    private Money left;

    LaunchGate(ClusterSnapshot snapshot, ZoneId zone) {
        now = snapshot.now();
        clock = DateTimeFormatter.ofPattern("HH:mm:ssX", Locale.ROOT).withZone(zone);
        snapshot.offerings().forEach(offering -> offerings.put(offering.id(), offering));
        snapshot.statuses().forEach(status -> statuses.put(status.id(), status));
        maxNodes = snapshot.limits().maxNodesBySite();
        left = snapshot.limits().budgetLeft();
        limits = new ScopedLimits(snapshot.limits());
        snapshot.breakers().stream()
                .sorted(Comparator.comparing(ClusterSnapshot.Breaker::since)
                        .thenComparing(ClusterSnapshot.Breaker::kind)
                        .thenComparing(ClusterSnapshot.Breaker::reason))
                .forEach(breaker -> breakers.putIfAbsent(breaker.name(), breaker));
        for (NodeView node : snapshot.nodes()) {
            nodes.merge(node.site(), 1, Integer::sum);
        }
    }

    /**
     * @param count 0 or more
     * @param each what one node commits
     * @param limit what kept it from being more; empty when nothing did
     */
    record Allowance(int count, Money each, Bound limit) {
        static Allowance none(Bound limit) {
            return new Allowance(0, Money.ZERO, limit);
        }

        Allowance cut(long most, Supplier<Bound> why) {
            return most < count ? new Allowance((int) Math.max(0, most), each, why.get()) : this;
        }
    }

    /**
     * @param waiting for whom the nodes are; empty for pre-warmed ones
     * @param time that a node is expected to be used, without its boot
     * @param wanted nodes, 1 or more
     * @param unit nodes that are of use only together, 1 or more; the count is a multiple of it, or {@code wanted}
     */
    Allowance allow(OfferingId id, List<Demand> waiting, Duration time, int wanted, int unit) {
        Offering offering = offerings.get(id);
        if (offering == null) {
            return Allowance.none(new Bound(Kind.OFFERING, id.toString(), id + " is not offered"));
        }
        OfferingStatus status = statuses.get(id);
        Bound unhealthy = unhealthy(id, status);
        if (!unhealthy.isEmpty()) {
            return Allowance.none(unhealthy);
        }
        Bound shut = shut(id);
        if (!shut.isEmpty()) {
            return Allowance.none(shut);
        }
        Money each = price(offering, status, time);
        if (each == null) {
            return Allowance.none(uncountable(id));
        }
        Allowance allowance = new Allowance(wanted, each, Bound.NONE)
                .cut(askable(id, status, unit), () -> probed(id, status))
                .cut(roomIn(id.site()), () -> new Bound(Kind.SITE, id.site(), siteText(id.site(), unit)))
                .cut(affordable(each), () -> new Bound(Kind.BUDGET, "", budgetText(id, each, unit)));
        for (ScopedLimits.Entry entry : scoped(offering, waiting)) {
            allowance = allowance.cut(
                    ScopedLimits.nodes(entry, offering, each),
                    () -> entry.bound(
                            entry.text(offering) + (unit > 1 ? ", a gang needs " + unit + " nodes more" : "")));
        }
        int whole = allowance.count() < wanted ? allowance.count() - allowance.count() % unit : wanted;
        return new Allowance(whole, each, allowance.limit());
    }

    /**
     * How many nodes that are stopped may be started. They count in their site already; what holds are breakers, the budget,
     * and the limits of those whom they are for.
     *
     * @param unit nodes that are of use only together, as in {@link #allow}
     */
    Allowance allowStart(OfferingId id, List<Demand> waiting, Duration time, int wanted, int unit) {
        Offering offering = offerings.get(id);
        if (offering == null) {
            return Allowance.none(new Bound(Kind.OFFERING, id.toString(), id + " is not offered"));
        }
        Bound shut = shut(id);
        if (!shut.isEmpty()) {
            return Allowance.none(shut);
        }
        Money each = price(offering, statuses.get(id), time);
        if (each == null) {
            return Allowance.none(uncountable(id));
        }
        Allowance allowance = new Allowance(wanted, each, Bound.NONE)
                .cut(affordable(each), () -> new Bound(Kind.BUDGET, "", budgetText(id, each, unit)));
        for (ScopedLimits.Entry entry : limits.of(waiting)) {
            allowance = allowance.cut(ScopedLimits.nodes(entry, offering, each), () -> entry.bound(entry.text()));
        }
        int whole = allowance.count() < wanted ? allowance.count() - allowance.count() % unit : wanted;
        return new Allowance(whole, each, allowance.limit());
    }

    /** Takes from all limits what {@link #allowStart} has granted. */
    Money takeStart(OfferingId id, List<Demand> waiting, Allowance allowance) {
        Money committed = allowance.each().times(allowance.count());
        left = left.minus(committed);
        Offering offering = offerings.get(id);
        if (offering != null) {
            ScopedLimits.take(limits.of(waiting), offering, allowance.each(), allowance.count());
        }
        return committed;
    }

    /** Why none of these offerings may be launched for a shape wherever it is; empty when one may. */
    Bound exhausted(Demand demand, List<OfferingId> ids) {
        List<Offering> wished =
                ids.stream().map(offerings::get).filter(Objects::nonNull).toList();
        return limits.of(List.of(demand)).stream()
                .filter(entry -> wished.isEmpty()
                        ? entry.isUsedUp()
                        : wished.stream().noneMatch(offering -> ScopedLimits.permitsOne(entry, offering)))
                .map(entry -> entry.bound(text(entry, wished)))
                .findFirst()
                .orElse(Bound.NONE);
    }

    private static String text(ScopedLimits.Entry entry, List<Offering> wished) {
        return entry.isUsedUp() || wished.isEmpty() ? entry.text() : entry.text(wished.getFirst());
    }

    private List<ScopedLimits.Entry> scoped(Offering offering, List<Demand> waiting) {
        List<ScopedLimits.Entry> all = limits.of(offering);
        List<ScopedLimits.Entry> theirs = limits.of(waiting);
        if (theirs.isEmpty()) {
            return all;
        }
        List<ScopedLimits.Entry> both = new ArrayList<>(all);
        both.addAll(theirs);
        return both;
    }

    private Bound shut(OfferingId id) {
        if (breakers.isEmpty()) {
            return Bound.NONE;
        }
        for (String name : ClusterSnapshot.Breaker.namesOver(id)) {
            ClusterSnapshot.Breaker breaker = breakers.get(name);
            if (breaker != null) {
                String kind = breaker.kind().name().toLowerCase(Locale.ROOT);
                String of = name.isEmpty() ? "the whole fleet" : name;
                String closed = switch (breaker.kind()) {
                    case FLEET, HEARTBEAT -> "";
                    case POOL, RUNAWAY, DIRECTOR, OFFERING, ZONE, HOST ->
                        "; an administrator closes it by 'spillway breaker close " + kind
                                + (name.isEmpty() ? "" : ":" + name) + "'";
                };
                return new Bound(
                        Kind.BREAKER,
                        kind + ":" + name,
                        "breaker " + kind + " of " + of + " is open since " + clock.format(breaker.since()) + ": "
                                + breaker.reason() + closed);
            }
        }
        return Bound.NONE;
    }

    /** Takes from all limits what {@link #allow} has granted. */
    Money take(OfferingId id, List<Demand> waiting, Allowance allowance) {
        Money committed = allowance.each().times(allowance.count());
        left = left.minus(committed);
        launched.merge(id, allowance.count(), Integer::sum);
        nodes.merge(id.site(), allowance.count(), Integer::sum);
        Offering offering = offerings.get(id);
        if (offering != null) {
            ScopedLimits.take(scoped(offering, waiting), offering, allowance.each(), allowance.count());
        }
        return committed;
    }

    /** Of a launch that has been granted, and taken. */
    Ranks ranks(Step.Launch launch, List<Demand> waiting, Duration time) {
        return new Ranks(launch, waiting, time);
    }

    /**
     * A ranked set while it grows. Each node becomes one of its offerings, whichever: it takes of each limit as much as the
     * greediest of them.
     */
    final class Ranks {
        private final List<Demand> waiting;
        private final Duration time;
        private final int count;
        private final Map<ScopedLimits.Entry, Long> taken = new IdentityHashMap<>();
        private final List<OfferingId> admitted = new ArrayList<>();
        private final @Nullable Offering first;
        private Money each;
        private Money more = Money.ZERO;

        private Ranks(Step.Launch launch, List<Demand> waiting, Duration time) {
            this.waiting = waiting;
            this.time = time;
            this.count = launch.count();
            Offering decided = offerings.get(launch.offering());
            Money price = decided == null ? null : price(decided, statuses.get(launch.offering()), time);
            this.first = decided;
            this.each = price == null ? Money.ZERO : price;
            if (decided != null) {
                for (ScopedLimits.Entry entry : scoped(decided, waiting)) {
                    taken.put(entry, ScopedLimits.perNode(entry, decided, each));
                }
            }
        }

        /** Takes it in where it may be had and serves the same, and where all limits have room for it in the first one's place. */
        void offer(OfferingId id) {
            Offering other = offerings.get(id);
            OfferingStatus status = statuses.get(id);
            Money price = other == null ? null : price(other, status, time);
            if (first == null
                    || other == null
                    || price == null
                    || !isAlike(first, other)
                    || !unhealthy(id, status).isEmpty()
                    || !shut(id).isEmpty()
                    || askable(id, status, 1) < count) {
                return;
            }
            Money dearer = price.isMoreThan(each) ? price.minus(each) : Money.ZERO;
            Map<ScopedLimits.Entry, Long> beyond = new IdentityHashMap<>();
            for (ScopedLimits.Entry entry : scoped(other, waiting)) {
                long needed = ScopedLimits.perNode(entry, other, price);
                beyond.put(entry, Math.max(0, needed - taken.getOrDefault(entry, 0L)));
            }
            boolean fits = affordable(dearer) >= count
                    && beyond.entrySet().stream()
                            .allMatch(one -> ScopedLimits.leaves(one.getKey(), one.getValue(), count));
            if (fits) {
                beyond.forEach((entry, amount) -> {
                    ScopedLimits.take(entry, amount, count);
                    taken.merge(entry, amount, Long::sum);
                });
                each = each.plus(dearer);
                more = more.plus(dearer.times(count));
                left = left.minus(dearer.times(count));
                launched.merge(id, count, Integer::sum);
                admitted.add(id);
            }
        }

        int size() {
            return admitted.size();
        }

        Step.Behind behind() {
            return admitted.isEmpty() ? Step.Behind.NOTHING : new Step.Behind(admitted, more);
        }

        /** Nodes that come count as the first one's until it is known what they are, so that nothing counts otherwise. */
        private static boolean isAlike(Offering first, Offering other) {
            return !other.id().equals(first.id())
                    && other.id().site().equals(first.id().site())
                    && other.id().market() == first.id().market()
                    && other.resources().cpus() == first.resources().cpus()
                    && other.resources().gpus() == first.resources().gpus()
                    && other.resources().gpuModel().equals(first.resources().gpuModel())
                    && Fabric.named(first.features()).isEmpty()
                    && Fabric.named(other.features()).isEmpty();
        }
    }

    private Bound unhealthy(OfferingId id, @Nullable OfferingStatus status) {
        if (status == null || status.mayLaunchAt(now)) {
            return Bound.NONE;
        }
        String why = status.reason().isEmpty() ? "may not be launched" : status.reason();
        return new Bound(
                Kind.HEALTH,
                id.toString(),
                id.instanceType() + " " + why
                        + status.retryAt()
                                .map(at -> ", retry at " + clock.format(at))
                                .orElse(""));
    }

    private static Bound probed(OfferingId id, @Nullable OfferingStatus status) {
        return new Bound(
                Kind.HEALTH,
                id.toString(),
                id.instanceType() + " "
                        + (status == null || status.reason().isEmpty()
                                ? "is probed carefully after a shortage"
                                : status.reason()));
    }

    private static Bound uncountable(OfferingId id) {
        return new Bound(
                Kind.OFFERING,
                id.toString(),
                "the price of " + id.instanceType() + " for the expected time is too large to count");
    }

    /** A gang that is larger than the budget of a probe is itself the probe: less of it would be of no use. */
    private int askable(OfferingId id, @Nullable OfferingStatus status, int unit) {
        int asked = launched.getOrDefault(id, 0);
        int budget = status == null ? OfferingHealth.HEALTHY_LAUNCH_BUDGET : status.launchBudget();
        return asked == 0 ? Math.max(budget, unit) : Math.max(0, budget - asked);
    }

    private int roomIn(String site) {
        return Math.max(0, maxNodes.getOrDefault(site, 0) - nodes.getOrDefault(site, 0));
    }

    private int affordable(Money each) {
        if (each.micros() == 0) {
            return Integer.MAX_VALUE;
        }
        return (int) Math.min(Integer.MAX_VALUE, Math.max(0, left.micros() / each.micros()));
    }

    private static @Nullable Money price(Offering offering, @Nullable OfferingStatus status, Duration time) {
        Duration boot = status == null ? OfferingHealth.DEFAULT_BOOT : status.bootEstimate();
        Duration used =
                time.compareTo(LONGEST_RESERVED) > 0 ? LONGEST_RESERVED : time.isNegative() ? Duration.ZERO : time;
        try {
            return offering.pricePerHour().perHourFor(used.plus(boot));
        } catch (ArithmeticException tooLarge) {
            return null;
        }
    }

    private String siteText(String site, int unit) {
        if (!maxNodes.containsKey(site)) {
            return "site " + site + " has no node limit, and so may have no nodes";
        }
        return "site " + site + " has " + nodes.getOrDefault(site, 0) + " of " + maxNodes.get(site) + " nodes"
                + (unit > 1 ? ", a gang needs " + unit + " more" : "");
    }

    private String budgetText(OfferingId id, Money each, int unit) {
        String more = unit > 1 ? "a gang of " + unit + " " + id.instanceType() : "one more " + id.instanceType();
        String price;
        try {
            price = each.times(unit).toString();
        } catch (ArithmeticException tooLarge) {
            price = unit + " times " + each;
        }
        return "budget: " + left + " left, " + more + " would commit " + price;
    }
}
