package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.limits.Cap;
import org.spillway.head.limits.Charge;
import org.spillway.head.limits.Shares;
import org.spillway.head.limits.UsedLimits;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** The administrator's limits, over the journal, and the providers' quotas beside them. */
public final class Capping {
    private static final Comparator<JobRecord> IN_TURN = Comparator.comparingInt(
                    (JobRecord job) -> -job.spec().priority())
            .thenComparing(job -> job.spec().submittedAt())
            .thenComparing(JobRecord::id);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Egress egress;
    private final ProviderQuotas quotas;
    private final List<Cap> caps;

    Capping(World world, Sites sites, LiveNodes live, Egress egress, ProviderQuotas quotas) {
        this.quotas = quotas;
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.egress = egress;
        this.caps = world.settings().limits().caps();
    }

    /** Whether jobs of several users are several shapes. */
    public boolean tellsUsers() {
        return has(Limits.Scope.USER);
    }

    public boolean tellsAccounts() {
        Shares shares = world.settings().limits().shares();
        return has(Limits.Scope.ACCOUNT) || (shares != null && shares.of() == Shares.Kind.ACCOUNT);
    }

    private boolean has(Limits.Scope scope) {
        return caps.stream().anyMatch(cap -> cap.scope() == scope);
    }

    /** Holders that a node is bought for, as far as limits tell them apart. */
    public Holders holders(Collection<JobRecord> jobs) {
        Holders all = Holders.of(jobs);
        return new Holders(
                all.queues(), tellsUsers() ? all.users() : Set.of(), tellsAccounts() ? all.accounts() : Set.of());
    }

    public List<Limits.Limit> limits(List<Demand> demands, Instant now) {
        List<Limits.Limit> all = new ArrayList<>(quotas.limits());
        if (!caps.isEmpty()) {
            all.addAll(used(now).of(caps, demands));
        }
        return List.copyOf(all);
    }

    /**
     * How many nodes at that price the limits in money permit, with what a node reserves; the planner's own sum is of a
     * shorter time.
     *
     * @param planned nodes that are bought besides
     */
    public Room room(Holders holders, Offering offering, Money each, Collection<NodeRecord> planned, Instant now) {
        List<Cap> inMoney = inMoney(offering.id(), holders);
        if (inMoney.isEmpty() || each.micros() <= 0) {
            return Room.ANY;
        }
        List<NodeRecord> nodes = new ArrayList<>(world.journal().nodes());
        nodes.addAll(planned);
        Room room = Room.ANY;
        for (Limits.Limit limit : used(nodes, now).of(inMoney, scope -> names(scope, holders))) {
            long count = limit.left() / each.micros();
            if (count < room.nodes) {
                room = new Room(count, reached(limit, each, WaitCause.Purpose.NODE));
            }
        }
        return room;
    }

    /** @param why it is not any number; none when it is */
    public record Room(long nodes, Cause why) {
        static final Room ANY = new Room(Long.MAX_VALUE, Cause.NONE);
    }

    /**
     * Why the limits in money do not permit that these nodes are held as they now say; none when they do.
     *
     * @param changed live nodes, for the holders
     * @param results what bringing the run's results home is expected to cost
     */
    public Cause overdrawn(Collection<NodeRecord> changed, Holders holders, Charge results, Instant now) {
        Map<String, NodeRecord> after = new HashMap<>();
        Set<Cap> inMoney = new LinkedHashSet<>();
        for (NodeRecord node : changed) {
            inMoney.addAll(inMoney(node.offering(), holders));
            after.put(node.id(), node);
        }
        if (inMoney.isEmpty()) {
            return Cause.NONE;
        }
        List<NodeRecord> nodes = new ArrayList<>();
        world.journal().nodes().forEach(node -> nodes.add(after.getOrDefault(node.id(), node)));
        List<Cap> asList = List.copyOf(inMoney);
        List<Charge> charges = new ArrayList<>(egress.charges());
        charges.add(results);
        List<Limits.Limit> then = used(nodes, charges, now).of(asList, scope -> names(scope, holders));
        List<Limits.Limit> before = used(now).of(asList, scope -> names(scope, holders));
        for (int i = 0; i < then.size(); i++) {
            if (then.get(i).used() > then.get(i).most()
                    && then.get(i).used() > before.get(i).used()) {
                return reached(
                        before.get(i),
                        new Money(then.get(i).used() - before.get(i).used()),
                        WaitCause.Purpose.COMMITMENT);
            }
        }
        return Cause.NONE;
    }

    /**
     * The change that a job's start makes to who has which nodes.
     *
     * @param why it may not start there now: its queue, user or account would have more than a limit allows; none when it may
     * @param handedBack idle nodes that count for nobody from now on, so that it may
     */
    public record Start(Cause why, List<NodeRecord> handedBack) {}

    /** For the embedded queue, which gives any job any node, also one that was bought for others. */
    public Start start(JobRecord job, Collection<NodeRecord> held, Instant now) {
        Holders holders = Holders.of(List.of(job));
        List<Cap> counted = caps.stream()
                .filter(cap -> cap.span() == Cap.Span.NOW
                        && switch (cap.scope()) {
                            case QUEUE, USER, ACCOUNT ->
                                cap.name().equals(Cap.EACH)
                                        || names(cap.scope(), holders).contains(cap.name());
                            case SITE, QUOTA_FAMILY, ALL, LICENCE, LAUNCHES_PER_MINUTE -> false;
                        })
                .toList();
        if (counted.isEmpty()) {
            return new Start(Cause.NONE, List.of());
        }
        Map<String, NodeRecord> after = new HashMap<>();
        held.forEach(node -> after.put(node.id(), node));
        List<NodeRecord> as = new ArrayList<>();
        List<NodeRecord> without = new ArrayList<>();
        List<NodeRecord> handedBack = new ArrayList<>();
        for (NodeRecord node : world.journal().nodes()) {
            NodeRecord next = after.getOrDefault(node.id(), node);
            as.add(next);
            boolean idle = node.nodeState() == NodeState.READY
                    && !after.containsKey(node.id())
                    && live.runningOn(node.id()).isEmpty();
            NodeRecord free = idle ? next.heldBy(Holders.NOBODY, now) : next;
            without.add(free);
            if (!free.equals(next)) {
                handedBack.add(free);
            }
        }
        if (exceeded(used(as, now), counted, holders, now).isNone()) {
            return new Start(Cause.NONE, List.of());
        }
        Cause why = exceeded(used(without, now), counted, holders, now);
        return new Start(why, why.isNone() ? handedBack : List.of());
    }

    private Cause exceeded(UsedLimits then, List<Cap> counted, Holders holders, Instant now) {
        List<Limits.Limit> after = then.of(counted, scope -> names(scope, holders));
        List<Limits.Limit> before = used(now).of(counted, scope -> names(scope, holders));
        for (int i = 0; i < after.size(); i++) {
            if (after.get(i).used() > after.get(i).most()
                    && after.get(i).used() > before.get(i).used()) {
                return reached(before.get(i), Money.ZERO, WaitCause.Purpose.RUN);
            }
        }
        return Cause.NONE;
    }

    private List<Cap> inMoney(OfferingId offering, Holders holders) {
        boolean atHome = sites.of(offering.site()).plan.home();
        return caps.stream()
                .filter(cap -> cap.span() != Cap.Span.NOW)
                .filter(cap -> switch (cap.scope()) {
                    case SITE, QUOTA_FAMILY ->
                        cap.name().equals(offering.site()) && cap.counts(offering.instanceType());
                    case ALL -> !atHome;
                    case QUEUE, USER, ACCOUNT ->
                        !atHome
                                && (cap.name().equals(Cap.EACH)
                                        || names(cap.scope(), holders).contains(cap.name()));
                    case LICENCE, LAUNCHES_PER_MINUTE -> false;
                })
                .toList();
    }

    private static Set<String> names(Limits.Scope scope, Holders holders) {
        return switch (scope) {
            case QUEUE -> holders.queues();
            case USER -> holders.users();
            case ACCOUNT -> holders.accounts();
            case SITE, QUOTA_FAMILY, ALL, LICENCE, LAUNCHES_PER_MINUTE -> Set.of();
        };
    }

    private static Cause reached(Limits.Limit limit, Money needed, WaitCause.Purpose purpose) {
        return new WaitCause.LimitReached(
                limit.scope(), limit.name(), limit.unit(), limit.used(), limit.most(), needed, purpose);
    }

    private UsedLimits used(Instant now) {
        return used(world.journal().nodes(), now);
    }

    private UsedLimits used(Collection<NodeRecord> nodes, Instant now) {
        return used(nodes, egress.charges(), now);
    }

    private UsedLimits used(Collection<NodeRecord> nodes, Collection<Charge> charges, Instant now) {
        Set<String> home = sites.all().stream()
                .filter(site -> site.plan.home())
                .map(site -> site.plan.name())
                .collect(Collectors.toSet());
        return new UsedLimits(
                nodes,
                home,
                charges,
                licences(),
                span -> switch (span) {
                    case DAY ->
                        BudgetPeriod.DAY.start(now, world.settings().spending().zone());
                    case MONTH ->
                        BudgetPeriod.MONTH.start(
                                now, world.settings().spending().zone());
                    case NOW -> now;
                },
                now);
    }

    private Map<String, Long> licences() {
        return UsedLimits.sum(world.journal().jobs(JobState.RUNNING).stream()
                .map(job -> job.spec().terms().licences())
                .toList());
    }

    /** With the family that the administrator counts it in: the first that names its type. */
    public Offering counted(Offering offering) {
        return caps.stream()
                .filter(cap -> !cap.types().isEmpty()
                        && cap.name().equals(offering.id().site())
                        && cap.counts(offering.id().instanceType()))
                .findFirst()
                .map(cap -> offering.withQuotaFamily(cap.family()))
                .orElse(offering);
    }

    /** The provider's quota by which the planner held; empty for a limit of another kind. */
    public Optional<Cause> quota(String bound) {
        return quotas.named(bound);
    }

    /** Offerings of which a quota has no room for another machine; an administrator's family of types stands for the provider's. */
    public Map<OfferingId, Cause> full(Collection<Offering> offerings) {
        return quotas.full(offerings.stream().map(this::counted).toList());
    }

    /** For each offering of which a limit of its place permits no more: what is in the way. By the offering's id. */
    public Map<Offering, String> shut(Collection<Offering> offerings, Instant now) {
        List<Cap> places = caps.stream()
                .filter(cap -> switch (cap.scope()) {
                    case SITE, QUOTA_FAMILY, ALL -> true;
                    case QUEUE, USER, ACCOUNT, LICENCE, LAUNCHES_PER_MINUTE -> false;
                })
                .toList();
        if (places.isEmpty()) {
            return Map.of();
        }
        UsedLimits used = used(now);
        Map<Offering, String> shut = new HashMap<>();
        for (Cap cap : places) {
            Limits.Limit limit = used.of(List.of(cap), List.of()).getFirst();
            for (Offering offering : offerings) {
                boolean applies = cap.scope() == Limits.Scope.ALL
                        || (cap.name().equals(offering.id().site())
                                && cap.counts(offering.id().instanceType()));
                if (applies && needs(cap, offering) > limit.left()) {
                    shut.putIfAbsent(offering, text(limit));
                }
            }
        }
        return shut;
    }

    private static long needs(Cap cap, Offering offering) {
        return switch (cap.unit()) {
            case NODES -> 1;
            case CPUS -> offering.resources().cpus();
            case GPUS -> offering.resources().gpus();
            case LICENCES -> 0;
            // How much depends on the job: the planner knows.
            case MONEY_MICROS -> 1;
        };
    }

    private static String text(Limits.Limit limit) {
        return "is kept back by a "
                + reached(limit, Money.ZERO, WaitCause.Purpose.RUN).text();
    }

    /**
     * Jobs that wait here for a licence, with the reason: the embedded queue starts what it is told of, and more of them
     * than there are licences must not be told. Other managers count licences themselves.
     */
    public Map<String, Cause> unlicensed() {
        Map<String, Long> left = new TreeMap<>();
        for (Cap cap : caps) {
            if (cap.scope() == Limits.Scope.LICENCE) {
                left.merge(cap.name(), cap.most(), Math::min);
            }
        }
        if (left.isEmpty()) {
            return Map.of();
        }
        licences().forEach((name, used) -> left.computeIfPresent(name, (any, count) -> count - used));
        Map<String, Cause> waiting = new HashMap<>();
        List<JobRecord> queued = new ArrayList<>(world.journal().jobs(JobState.QUEUED));
        queued.removeIf(job ->
                ForeignJobs.isForeign(job) || job.spec().terms().licences().isEmpty());
        queued.sort(IN_TURN);
        for (JobRecord job : queued) {
            JobSpec.Terms terms = job.spec().terms();
            String lacks = terms.licences().entrySet().stream()
                    .filter(one -> left.getOrDefault(one.getKey(), Long.MAX_VALUE) < one.getValue())
                    .map(Map.Entry::getKey)
                    .sorted()
                    .findFirst()
                    .orElse("");
            if (lacks.isEmpty()) {
                terms.licences().forEach((name, count) -> left.computeIfPresent(name, (any, rest) -> rest - count));
            } else {
                waiting.put(job.id(), new WaitCause.LicenceTaken(lacks));
            }
        }
        return waiting;
    }
}
