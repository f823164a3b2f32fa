package org.spillway.head.loop.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.JobSpec;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

final class MarketsTest {
    private static final Set<Market> ALL = Set.of(Market.values());
    private static final Markets MARKETS = Markets.of(
            Map.of("cheap", ALL, "safe", Market.STEADY),
            Map.of("cheap", List.of("east", "west"), "safe", List.of("east")));

    private static JobSpec job(String queue, Market... wanted) {
        return JobSpec.of(draft -> {
            draft.queue = queue;
            draft.sites = List.of("east");
            draft.need = new JobSpec.Need(
                    Resources.of(1, 1, 0), 1, Duration.ofHours(1), List.of(), false, null, Set.of(wanted));
        });
    }

    @Test
    void aJobHasTheMarketsOfItsQueueAndMayWantFewer() {
        assertThat(MARKETS.of(job("cheap"))).isEqualTo(ALL);
        assertThat(MARKETS.of(job("cheap", Market.SPOT))).containsExactly(Market.SPOT);
        assertThat(MARKETS.of(job("safe"))).isEqualTo(Market.STEADY);
        assertThat(MARKETS.of(job("safe", Market.SPOT))).isEmpty();
        assertThat(MARKETS.of(job("another"))).isEqualTo(Market.STEADY);
    }

    @Test
    void whatIsThereForAllIsOfWhatAllMayUse() {
        assertThat(MARKETS.serveAll("east", Market.SPOT)).isFalse();
        assertThat(MARKETS.serveAll("east", Market.ON_DEMAND)).isTrue();
        assertThat(MARKETS.serveAll("west", Market.SPOT)).isTrue();
        assertThat(MARKETS.serveAll("north", Market.SPOT)).isFalse();
    }

    @Test
    void anOfferingSaysWhatItIsNotWhereSomebodyAsks() {
        Offering steady = offering(Market.ON_DEMAND);
        assertThat(MARKETS.marked(steady, List.of(ALL))).isSameAs(steady);
        assertThat(MARKETS.marked(steady, List.of(Market.STEADY)).features()).containsExactly("without:spot");
        assertThat(MARKETS.marked(offering(Market.SPOT), List.of(Market.STEADY)).features())
                .isEmpty();
    }

    private static Offering offering(Market market) {
        return Offering.of(new OfferingId("east", "a", "std", market), Resources.of(1, 1, 0), Money.ZERO);
    }
}
