package org.spillway.head.loop.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Quota;
import org.spillway.head.cause.WaitCause;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** A provider's quotas as it has told them, with what this head has there by now. */
final class SiteQuotasTest {
    private static final Offering GPU = Offering.of(
                    new OfferingId("east", "a", "g5.xlarge", Market.ON_DEMAND), Resources.of(4, 1, 1), Money.ZERO)
            .withQuotaFamily("G");

    private static Quota quota(String family, Quota.Unit unit, long used, long most) {
        return new Quota("L-" + family, family, "running " + family, unit, used, most, "ask");
    }

    private static SiteQuotas.Mine has(long nodes, long cpus) {
        return new SiteQuotas.Mine(Map.of("G", nodes), Map.of("G", cpus));
    }

    private static SiteQuotas.Now now(SiteQuotas quotas, SiteQuotas.Mine has) {
        return quotas.now("east", has).getFirst();
    }

    @Test
    void whatOthersHaveIsAsToldAndWhatWeHaveIsAsOfNow() {
        SiteQuotas told = SiteQuotas.NONE.next(List.of(quota("G", Quota.Unit.CPUS, 12, 16)), has(2, 8), List.of(GPU));
        assertThat(now(told, has(2, 8)).limit())
                .isEqualTo(new Limits.Limit(Limits.Scope.QUOTA_FAMILY, "east/G", Limits.Unit.CPUS, 16, 12));
        assertThat(now(told, has(2, 8)).fits(GPU)).isTrue();
        assertThat(now(told, has(3, 12)).fits(GPU)).as("bought since").isFalse();
        assertThat(now(told, has(0, 0)).limit().used()).as("ended since").isEqualTo(4);
    }

    /** Providers count late what has ended: it is nobody else's. */
    @Test
    void whatWeHadAtTheLookBeforeIsNotTakenForOthers() {
        SiteQuotas before =
                SiteQuotas.NONE.next(List.of(quota("G", Quota.Unit.CPUS, 16, 16)), has(4, 16), List.of(GPU));
        SiteQuotas after = before.next(List.of(quota("G", Quota.Unit.CPUS, 16, 16)), has(0, 0), List.of(GPU));
        assertThat(now(after, has(0, 0)).limit().used()).isZero();
    }

    @Test
    void quotasOfNothingThatIsOfferedAndOfMemoryAreLeftToTheProvider() {
        List<Quota> all = List.of(
                quota("P", Quota.Unit.CPUS, 0, 0),
                quota("G", Quota.Unit.MEMORY_MIB, 0, 0),
                quota("G", Quota.Unit.INSTANCES, Quota.UNTOLD, 1));
        SiteQuotas told = SiteQuotas.NONE.next(all, SiteQuotas.Mine.NOTHING, List.of(GPU));
        assertThat(told.told()).hasSize(1);
        assertThat(now(told, SiteQuotas.Mine.NOTHING).fits(GPU)).isTrue();
        assertThat(now(told, has(1, 4)).fits(GPU)).isFalse();
        assertThat(now(told, has(1, 4)).fits(GPU.withQuotaFamily("other"))).isTrue();
        assertThat(now(told, has(1, 4)).cause())
                .isEqualTo(new WaitCause.QuotaFull("east", "L-G", "running G", Limits.Unit.NODES, 1, 1, "ask"));
    }
}
