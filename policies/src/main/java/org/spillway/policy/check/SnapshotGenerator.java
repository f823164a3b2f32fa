package org.spillway.policy.check;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;

/** Snapshots from a seed; the same seed gives the same snapshot. */
public final class SnapshotGenerator {
    public static final Instant NOW = Instant.parse("2026-11-21T14:00:00Z");
    private static final List<String> SITES = List.of("east", "west");
    private static final List<String> FAMILIES = List.of("G", "P", "");
    private static final List<String> QUEUES = List.of("q", "r");
    private static final List<String> USERS = List.of("ada", "bob", "");
    private static final List<String> ACCOUNTS = List.of("bio", "ml", "");
    private static final long GIB = 1L << 30;
    private final Random random;

    public SnapshotGenerator(long seed) {
        random = new Random(seed);
    }

    public ClusterSnapshot snapshot() {
        List<Offering> offerings = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            Resources has = Resources.of(1 << random.nextInt(6), GIB << random.nextInt(7), random.nextInt(5));
            OfferingId id = new OfferingId(pick(SITES), "a", "type" + i, pick(List.of(Market.values())));
            offerings.add(Offering.of(id, has, new Money(random.nextInt(5) * 300_000L))
                    .withFeatures(features()));
        }
        List<OfferingStatus> statuses = new ArrayList<>();
        for (Offering offering : offerings) {
            if (random.nextInt(3) == 0) {
                boolean out = random.nextBoolean();
                statuses.add(new OfferingStatus(
                        offering.id(),
                        out ? NOW.plusSeconds(90) : null,
                        1 << random.nextInt(5),
                        Duration.ofSeconds(60),
                        out ? "refused for capacity" : "",
                        0));
            }
        }
        Limits limits = new Limits(
                Map.of("east", random.nextInt(30), "west", random.nextInt(30)),
                new Money(random.nextInt(60) * 1_000_000L - 2_000_000L));
        return ClusterSnapshot.of(draft -> {
            draft.now = NOW;
            draft.demands = demands();
            draft.nodes = nodes(offerings);
            draft.offerings = offerings;
            draft.statuses = statuses;
            draft.limits = limits;
        });
    }

    /** The same with all that a snapshot can say: terms, limits of every scope, shares, reclaims, busy nodes. */
    public ClusterSnapshot whole() {
        ClusterSnapshot plain = snapshot();
        List<Offering> offerings =
                plain.offerings().stream().map(this::inFamily).toList();
        List<OfferingStatus> statuses = plain.statuses().stream()
                .map(one -> new OfferingStatus(
                        one.id(),
                        one.notBefore(),
                        one.launchBudget(),
                        one.bootEstimate(),
                        one.reason(),
                        random.nextInt(4) / 20.0))
                .toList();
        return ClusterSnapshot.of(draft -> {
            draft.schema = plain.schema();
            draft.now = plain.now();
            draft.demands = plain.demands().stream().map(this::onTerms).toList();
            draft.nodes = plain.nodes().stream().map(this::busy).toList();
            draft.offerings = offerings;
            draft.statuses = statuses;
            draft.limits =
                    new Limits(plain.limits().maxNodesBySite(), plain.limits().budgetLeft(), scoped());
            draft.windows = plain.windows();
            draft.shares = shares();
        });
    }

    private Offering inFamily(Offering one) {
        return one.withQuotaFamily(pick(FAMILIES));
    }

    private Demand onTerms(Demand one) {
        Map<String, Integer> licences = random.nextInt(3) == 0 ? Map.of("solver", 1 + random.nextInt(3)) : Map.of();
        Demand.Terms terms = new Demand.Terms(
                pick(ACCOUNTS),
                pick(USERS),
                random.nextInt(3),
                licences,
                random.nextInt(3) == 0 ? NOW.plusSeconds(random.nextInt(20_000)) : null,
                one.walltime().multipliedBy(random.nextInt(5)).dividedBy(4),
                random.nextInt(3) == 0 ? Map.of("east", new Money(random.nextInt(9) * 100_000L)) : Map.of());
        return one.with(draft -> {
            draft.queue = pick(QUEUES);
            draft.terms = terms;
        });
    }

    private NodeView busy(NodeView one) {
        boolean busy = one.phase() == NodeView.Phase.ALLOCATED && random.nextBoolean();
        NodeView.Duty duty = NodeView.Duty.NONE
                .withBusyUntil(busy ? NOW.plusSeconds(random.nextInt(9000)) : null)
                .withBilledFrom(one.since());
        return new NodeView(
                one.id(),
                one.site(),
                one.offering(),
                one.phase(),
                one.total(),
                one.free(),
                one.since(),
                one.pricePerHour(),
                one.keep(),
                duty);
    }

    private List<Limits.Limit> scoped() {
        List<Limits.Limit> limits = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            Limits.Scope scope = pick(List.of(Limits.Scope.values()));
            Limits.Unit unit = switch (scope) {
                case LICENCE -> Limits.Unit.LICENCES;
                case LAUNCHES_PER_MINUTE -> Limits.Unit.NODES;
                default ->
                    pick(List.of(Limits.Unit.NODES, Limits.Unit.CPUS, Limits.Unit.GPUS, Limits.Unit.MONEY_MICROS));
            };
            String name = switch (scope) {
                case QUOTA_FAMILY -> pick(SITES) + "/" + pick(FAMILIES);
                case SITE, LAUNCHES_PER_MINUTE -> pick(SITES);
                case QUEUE -> pick(QUEUES);
                case USER -> pick(USERS);
                case ACCOUNT -> pick(ACCOUNTS);
                case LICENCE -> "solver";
                case ALL -> "";
            };
            long one = unit == Limits.Unit.MONEY_MICROS ? 1_000_000 : 1;
            limits.add(new Limits.Limit(scope, name, unit, random.nextInt(40) * one, random.nextInt(12) * one));
        }
        return limits;
    }

    private List<ClusterSnapshot.Share> shares() {
        List<ClusterSnapshot.Share> shares = new ArrayList<>();
        if (random.nextBoolean()) {
            for (String name : List.of("bio", "ml")) {
                shares.add(new ClusterSnapshot.Share(name, 1 + random.nextInt(3), random.nextInt(11) / 10.0));
            }
        }
        return shares;
    }

    private List<Demand> demands() {
        List<Demand> demands = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            Resources need = Resources.of(1 + random.nextInt(8), GIB << random.nextInt(5), random.nextInt(3));
            String shape = "shape" + i;
            int nodes = random.nextInt(3) == 0 ? 2 + random.nextInt(4) : 1;
            demands.add(Demand.of(draft -> {
                draft.shape = shape;
                draft.perNode = need;
                draft.nodes = nodes;
                draft.jobs = 1 + random.nextInt(20);
                draft.oldestSubmit = NOW.minusSeconds(random.nextInt(900));
                draft.walltime = Duration.ofMinutes(random.nextInt(300));
                draft.sites = random.nextBoolean() ? SITES : List.of(pick(SITES));
                draft.features = features();
            }));
        }
        return demands;
    }

    private List<NodeView> nodes(List<Offering> offerings) {
        List<NodeView> nodes = new ArrayList<>();
        for (int i = offerings.isEmpty() ? 0 : random.nextInt(8); i > 0; i--) {
            Offering offering = pick(offerings);
            NodeView.Phase phase = pick(List.of(NodeView.Phase.values()));
            Resources free = phase == NodeView.Phase.ALLOCATED ? Resources.NONE : offering.resources();
            nodes.add(new NodeView(
                    "n" + i,
                    offering.id().site(),
                    offering.id(),
                    phase,
                    offering.resources(),
                    free,
                    NOW.minusSeconds(random.nextInt(900)),
                    offering.pricePerHour(),
                    random.nextInt(4) == 0,
                    NodeView.Duty.NONE));
        }
        return nodes;
    }

    private Set<String> features() {
        return random.nextInt(4) == 0 ? Set.of("efa") : Set.of();
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
