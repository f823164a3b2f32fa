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
            offerings.add(new Offering(id, has, new Money(random.nextInt(5) * 300_000L), features()));
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
                        out ? "refused for capacity" : ""));
            }
        }
        Limits limits = new Limits(
                Map.of("east", random.nextInt(30), "west", random.nextInt(30)),
                new Money(random.nextInt(60) * 1_000_000L - 2_000_000L));
        return new ClusterSnapshot(
                ClusterSnapshot.SCHEMA, NOW, demands(), nodes(offerings), offerings, statuses, limits, List.of());
    }

    private List<Demand> demands() {
        List<Demand> demands = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            Resources need = Resources.of(1 + random.nextInt(8), GIB << random.nextInt(5), random.nextInt(3));
            int nodes = random.nextInt(3) == 0 ? 2 + random.nextInt(4) : 1;
            demands.add(new Demand(
                    "shape" + i,
                    "q",
                    need,
                    nodes,
                    1 + random.nextInt(20),
                    NOW.minusSeconds(random.nextInt(900)),
                    Duration.ofMinutes(random.nextInt(300)),
                    random.nextBoolean() ? SITES : List.of(pick(SITES)),
                    features(),
                    Map.of(),
                    List.of()));
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
                    random.nextInt(4) == 0));
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
