package org.spillway.head.loop.supply;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;

/** Finding C5: alternatives existed in the drivers, and nothing in the head gave them any. */
final class SubstitutesTest {
    private static final Instant NOW = Instant.parse("2026-11-24T00:00:00Z");
    private static final Offering DECIDED = sold("a", "m7i.large", Market.ON_DEMAND, "1");

    private static Offering sold(String zone, String type, Market market, String price, String... features) {
        return Offering.of(
                        new OfferingId("s", zone, type, market),
                        new Resources(2, 8L << 30, 0, "", 50L << 30),
                        Money.parse(price))
                .withFeatures(Set.of(features));
    }

    private static ClusterSnapshot seen(List<OfferingStatus> statuses, List<ClusterSnapshot.Breaker> breakers) {
        return ClusterSnapshot.of(draft -> {
            draft.now = NOW;
            draft.statuses = statuses;
            draft.breakers = breakers;
        });
    }

    private static List<String> zones(ClusterSnapshot seen, Offering decided, Offering... sold) {
        return new Substitutes(seen)
                .of(decided, 3, List.of(sold)).stream().map(OfferingId::zone).toList();
    }

    @Test
    void theSameTypeInOtherZonesNoDearer() {
        assertThat(zones(
                        seen(List.of(), List.of()),
                        DECIDED,
                        DECIDED,
                        sold("b", "m7i.large", Market.ON_DEMAND, "1"),
                        sold("c", "m7i.large", Market.ON_DEMAND, "0.9"),
                        sold("d", "m7i.large", Market.ON_DEMAND, "1.1"),
                        sold("e", "m7i.large", Market.SPOT, "0.1"),
                        sold("f", "m7a.large", Market.ON_DEMAND, "0.5"),
                        sold("g", "m7i.large", Market.ON_DEMAND, "0.5", "nvme")))
                .containsExactly("c", "b");
    }

    @Test
    void noneOnAFabric() {
        Offering decided = sold("a", "p5", Market.ON_DEMAND, "1", "fabric:efa");
        assertThat(zones(seen(List.of(), List.of()), decided, sold("b", "p5", Market.ON_DEMAND, "1", "fabric:efa")))
                .isEmpty();
    }

    @Test
    void noneThatIsShortOrUnprovenOrShut() {
        ClusterSnapshot seen = seen(
                List.of(status("b", NOW.plusSeconds(60), 100), status("c", null, 2), status("e", null, 3)),
                List.of(new ClusterSnapshot.Breaker(
                        ClusterSnapshot.Breaker.Kind.POOL, "s/d/m7i.large/ON_DEMAND", "nodes do not come up", NOW)));
        assertThat(zones(
                        seen,
                        DECIDED,
                        sold("b", "m7i.large", Market.ON_DEMAND, "1"),
                        sold("c", "m7i.large", Market.ON_DEMAND, "1"),
                        sold("d", "m7i.large", Market.ON_DEMAND, "1"),
                        sold("e", "m7i.large", Market.ON_DEMAND, "1")))
                .containsExactly("e");
    }

    private static OfferingStatus status(
            String zone, @org.jspecify.annotations.Nullable Instant notBefore, int budget) {
        return new OfferingStatus(
                new OfferingId("s", zone, "m7i.large", Market.ON_DEMAND),
                notBefore,
                budget,
                Duration.ofMinutes(1),
                "",
                0);
    }
}
