package org.spillway.scaler.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
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
import org.spillway.policy.Resources;

/** Clusters to plan for, from a seed. Sizes and prices are in the proportions of public clouds, not of any one. */
final class Instances {
    static final Instant NOW = Instant.parse("2026-11-21T14:00:00Z");
    private static final long GIB = 1L << 30;
    private static final List<String> MODELS = List.of("a100", "h100", "l4");

    private Instances() {}

    /** Resources that jobs ask for. */
    enum Kind {
        CPU,
        MEMORY,
        GPU,
        MIXED
    }

    private static Resources type(String family, int size) {
        int cpus = 4 << size;
        return switch (family) {
            case "c" -> new Resources(cpus, 2L * cpus * GIB, 0, "", 100L * cpus * GIB / 8);
            case "m" -> new Resources(cpus, 4L * cpus * GIB, 0, "", 100L * cpus * GIB / 8);
            case "r" -> new Resources(cpus, 8L * cpus * GIB, 0, "", 100L * cpus * GIB / 8);
            default ->
                new Resources(
                        cpus * 2,
                        8L * cpus * GIB,
                        1 << Math.min(3, size),
                        MODELS.get(family.charAt(1) - '0'),
                        cpus * 60L * GIB);
        };
    }

    /** Micros an hour; a larger size costs as much a CPU as a smaller one, but for the tenth that small ones cost more. */
    private static long price(String family, int size) {
        long cpus = 4L << size;
        long each = switch (family) {
            case "c" -> 42_000;
            case "m" -> 50_000;
            case "r" -> 64_000;
            case "g0" -> 800_000;
            case "g1" -> 1_500_000;
            default -> 220_000;
        };
        return cpus * each + (size == 0 ? cpus * each / 10 : 0);
    }

    /** @param sites each with the same types; prices differ by some percent */
    static List<Offering> offerings(int sites, int most) {
        List<Offering> offerings = new ArrayList<>();
        for (int size = 0; size < 5; size++) {
            for (String family : List.of("c", "m", "r", "g0", "g1", "g2")) {
                for (Market market : List.of(Market.ON_DEMAND, Market.SPOT)) {
                    for (int site = 0; site < sites && offerings.size() < most; site++) {
                        long price =
                                price(family, size) * (100 + site * 3) / 100 * (market == Market.SPOT ? 4 : 10) / 10;
                        OfferingId id = new OfferingId("site" + site, "a", family + "." + (4 << size), market);
                        offerings.add(Offering.of(id, type(family, size), new Money(price))
                                .withFeatures(Set.of("arch:x86_64"))
                                .withQuotaFamily(family));
                    }
                }
            }
        }
        return offerings;
    }

    static List<Demand> demands(Kind kind, int shapes, int jobs, int sites, long seed) {
        Random random = new Random(seed);
        List<Demand> demands = new ArrayList<>();
        for (int i = 0; i < shapes; i++) {
            Kind one = kind == Kind.MIXED ? Kind.values()[random.nextInt(3)] : kind;
            List<String> allowed = new ArrayList<>();
            for (int site = 0; site < sites; site++) {
                if (sites == 1 || random.nextInt(3) > 0) {
                    allowed.add("site" + site);
                }
            }
            int number = i;
            int count = jobs / shapes + (i < jobs % shapes ? 1 : 0);
            demands.add(Demand.of(draft -> {
                draft.shape = "shape" + number;
                draft.queue = "queue" + number % 5;
                draft.perNode = need(one, random);
                draft.jobs = Math.max(1, count);
                draft.oldestSubmit = NOW.minusSeconds(1 + random.nextInt(7200));
                draft.walltime = Duration.ofMinutes(30 + random.nextInt(600));
                draft.sites = allowed.isEmpty() ? List.of("site0") : allowed;
            }));
        }
        return demands;
    }

    private static Resources need(Kind kind, Random random) {
        int cpus = 1 + random.nextInt(12);
        return switch (kind) {
            case CPU -> new Resources(cpus, GIB + random.nextInt(2 * cpus) * GIB, 0, "", 0);
            case MEMORY -> new Resources(cpus, (4L + random.nextInt(12)) * cpus * GIB, 0, "", 0);
            default -> {
                int gpus = 1 << random.nextInt(3);
                String model = random.nextInt(3) == 0 ? "" : MODELS.get(random.nextInt(MODELS.size()));
                yield new Resources(
                        gpus * (1 + random.nextInt(6)), gpus * (4L + random.nextInt(24)) * GIB, gpus, model, 0);
            }
        };
    }

    /** A running cluster: most nodes busy with some room left, others idle or on their way. */
    static ClusterSnapshot cluster(int jobs, int shapes, int nodes, int offerings, int sites, long seed) {
        Random random = new Random(seed);
        List<Offering> catalogue = offerings(sites, offerings);
        List<NodeView> views = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            Offering of = catalogue.get(random.nextInt(catalogue.size()));
            Resources has = of.resources();
            int kind = random.nextInt(20);
            NodeView.Phase phase =
                    kind < 16 ? NodeView.Phase.ALLOCATED : kind < 18 ? NodeView.Phase.IDLE : NodeView.Phase.IN_FLIGHT;
            int part = random.nextInt(4);
            Resources free = phase != NodeView.Phase.ALLOCATED
                    ? has
                    : new Resources(
                            has.cpus() * part / 8,
                            has.memoryBytes() / 8 * part,
                            has.gpus() * part / 8,
                            has.gpuModel(),
                            0);
            views.add(new NodeView(
                    "node" + i,
                    of.id().site(),
                    of.id(),
                    phase,
                    has,
                    free,
                    NOW.minusSeconds(random.nextInt(1200)),
                    of.pricePerHour(),
                    false,
                    NodeView.Duty.NONE));
        }
        Map<String, Integer> most = new HashMap<>();
        for (int site = 0; site < sites; site++) {
            most.put("site" + site, 2 * nodes);
        }
        return ClusterSnapshot.of(draft -> {
            draft.now = NOW;
            draft.demands = demands(Kind.MIXED, shapes, jobs, sites, seed + 1);
            draft.nodes = views;
            draft.offerings = catalogue;
            draft.limits = new Limits(most, Money.parse("10000000"));
        });
    }
}
