package org.spillway.scaler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Demand;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.Resources;
import org.spillway.policy.Seeds;

/** A job's price for moving counts as what its nodes cost. */
final class TransferPriceTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private static final int CASES = Seeds.some(2_000);
    private static final Offering EAST = offering("east", 4, "1.00");
    private static final Offering WEST = offering("west", 4, "1.10");

    private static Offering offering(String site, int cpus, String price) {
        OfferingId id = new OfferingId(site, "a", "c" + cpus, Market.ON_DEMAND);
        return Offering.of(id, Resources.of(cpus, 0, 0), Money.parse(price));
    }

    private static Demand demand(int cpus, int nodes, int jobs, Duration run, Map<String, Money> transfer) {
        return Demand.of(draft -> {
            draft.perNode = Resources.of(cpus, 0, 0);
            draft.nodes = nodes;
            draft.jobs = jobs;
            draft.oldestSubmit = NOW;
            draft.walltime = run;
            draft.sites = List.of("east", "west");
            draft.terms = new Demand.Terms("", "", 0, Map.of(), null, run, transfer);
        });
    }

    private static List<OfferingId> bought(Demand demand, Offering... offerings) {
        Planner.Packing packing =
                new FirstFitPlanner(List.of(offerings)).pack(List.of(demand), List.of(), List.of(offerings));
        return packing.bought().getFirst().offerings();
    }

    @Test
    void aShortJobGoesWhereItIsCheapToMove() {
        Map<String, Money> fromEast = Map.of("east", Money.parse("0.50"));
        Duration hour = Duration.ofHours(1);
        assertThat(bought(demand(4, 1, 1, hour, Map.of()), EAST, WEST)).containsExactly(EAST.id(), WEST.id());
        assertThat(bought(demand(4, 1, 1, hour, fromEast), EAST, WEST)).containsExactly(WEST.id(), EAST.id());
        assertThat(bought(demand(4, 2, 1, hour, fromEast), EAST, WEST))
                .as("a gang, moved once")
                .containsExactly(WEST.id(), EAST.id());
        assertThat(bought(demand(4, 1, 1, Duration.ofHours(6), fromEast), EAST, WEST))
                .as("a long one is cheaper on the cheaper nodes")
                .containsExactly(EAST.id(), WEST.id());
    }

    @Test
    void roomThatIsLeftOnANewNodeIsNotWorthADearMove() {
        Offering large = offering("east", 8, "0.10");
        Demand first = demand(6, 1, 1, Duration.ofHours(1), Map.of("west", Money.parse("9")));
        Demand second = Demand.of(draft -> {
            draft.shape = "second";
            draft.perNode = Resources.of(2, 0, 0);
            draft.oldestSubmit = NOW;
            draft.walltime = Duration.ofHours(1);
            draft.sites = List.of("east", "west");
            draft.terms =
                    new Demand.Terms("", "", 0, Map.of(), null, Duration.ofHours(1), Map.of("east", Money.parse("9")));
        });
        Planner.Packing packing =
                new FirstFitPlanner(List.of(large, WEST)).pack(List.of(first, second), List.of(), List.of(large, WEST));
        assertThat(packing.bought())
                .extracting(Planner.Bought::offerings)
                .extracting(List::getFirst)
                .containsExactlyInAnyOrder(large.id(), WEST.id());
    }

    @Test
    void nothingCheaperInSumIsLeftOut() {
        for (long seed : Seeds.of("transfer prices", CASES)) {
            Random random = new Random(seed);
            List<Offering> offerings = new ArrayList<>();
            for (int i = 1 + random.nextInt(8); i > 0; i--) {
                offerings.add(
                        offering(random.nextBoolean() ? "east" : "west", 4 * i, (1 + random.nextInt(90)) + ".25"));
            }
            Demand demand = demand(
                    1 + random.nextInt(4),
                    1,
                    1 + random.nextInt(20),
                    Duration.ofMinutes(1 + random.nextInt(600)),
                    Map.of(
                            "east", new Money(random.nextInt(9) * 1_000_000L),
                            "west", new Money(random.nextInt(9) * 1_000_000L)));
            Planner.Packing packing = new FirstFitPlanner(offerings).pack(List.of(demand), List.of(), offerings);
            double least = offerings.stream()
                    .mapToDouble(offering -> perJob(demand, offering))
                    .min()
                    .orElseThrow();
            double chosen = packing.bought().stream()
                    .flatMap(one -> offerings.stream()
                            .filter(offering ->
                                    offering.id().equals(one.offerings().getFirst())))
                    .map(offering -> perJob(demand, offering))
                    .min(Comparator.naturalOrder())
                    .orElseThrow();
            assertThat(chosen).as("seed %d", seed).isLessThanOrEqualTo(least * 1.000001);
        }
    }

    private static double perJob(Demand demand, Offering offering) {
        int slots = Slots.fit(demand.perNode(), offering.resources(), demand.jobs());
        return TransferPrice.cost(demand, offering, 1, slots).doubleValue() / slots;
    }
}
