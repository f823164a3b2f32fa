package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.Resources;

/** Offerings and their prices, as EC2 or the site tells them. */
final class AwsOfferingsTest extends AwsCloudFixture {
    @Test
    void offeringsSayWhatEc2Says() throws Exception {
        List<Offering> offerings = open("o", Map.of("types", "p5.*")).compute().offerings();
        assertThat(offerings)
                .extracting(each -> each.id().market(), Offering::pricePerHour)
                .containsExactlyInAnyOrder(
                        tuple(Market.ON_DEMAND, Money.parse("55.04")), tuple(Market.SPOT, Money.parse("20.5")));
        Offering p5 = offerings.getFirst();
        Resources resources = p5.resources();
        assertThat(resources.cpus()).isEqualTo(192);
        assertThat(resources.memoryBytes()).isEqualTo(2048L << 30);
        assertThat(resources.gpus()).isEqualTo(8);
        assertThat(resources.gpuModel()).isEqualTo("h100");
        assertThat(p5.gpuMemoryBytes()).isEqualTo(80L << 30);
        assertThat(p5.features()).contains("arch:x86_64", "fabric:efa", "nvme");
    }

    @Test
    void theSitesOwnPricesStandAboveAndWithoutAnyNothingIsOffered() throws Exception {
        Map<String, String> options = AwsDriverContractTest.options(cloud);
        options.remove("pricingEndpoint");
        options.put("types", "m7i.*,p5.*");
        Map<String, Money> prices = Map.of("m7i.large", Money.parse("0.07"));
        try (Site site = new AwsDriver()
                .open(SiteSettings.of("c", "own", options, cloud.state()).withPrices(prices))) {
            assertThat(site.compute().offerings().stream()
                            .filter(each -> each.id().market() == Market.ON_DEMAND))
                    .singleElement()
                    .satisfies(each -> {
                        assertThat(each.id().instanceType()).isEqualTo("m7i.large");
                        assertThat(each.pricePerHour()).isEqualTo(Money.parse("0.07"));
                    });
            assertThat(site.diagnostics().check(Diagnostics.Needs.NONE)).anySatisfy(finding -> {
                assertThat(finding.check()).isEqualTo("prices");
                assertThat(finding.verdict()).isEqualTo(Diagnostics.Verdict.WARNING);
                assertThat(finding.detail()).contains("p5.48xlarge").doesNotContain("m7i");
            });
        }
    }

    @Test
    void dollarsAreNeverReadAsAnotherCurrency() throws Exception {
        Map<String, String> options = AwsDriverContractTest.options(cloud);
        options.put("types", "m7i.*,p5.*");
        assertThatThrownBy(() -> new AwsDriver()
                        .open(SiteSettings.of("c", "euro", options, cloud.state())
                                .withCurrency("EUR")))
                .isInstanceOfSatisfying(
                        SiteSettings.Invalid.class,
                        invalid -> assertThat(invalid.key()).isEqualTo("prices"))
                .hasMessageContaining("the budget is in EUR, EC2's prices are in USD")
                .hasMessageContaining("set 'currency: USD'");
        Map<String, Money> prices = Map.of("m7i.large", Money.parse("0.09"), "p5.48xlarge/spot", Money.parse("19"));
        try (Site site = new AwsDriver()
                .open(SiteSettings.of("c", "euro", options, cloud.state())
                        .withPrices(prices)
                        .withCurrency("EUR"))) {
            assertThat(site.compute().offerings())
                    .extracting(
                            each -> each.id().instanceType(), each -> each.id().market(), Offering::pricePerHour)
                    .containsExactlyInAnyOrder(
                            tuple("m7i.large", Market.ON_DEMAND, Money.parse("0.09")),
                            tuple("p5.48xlarge", Market.SPOT, Money.parse("19")));
            assertThat(site.diagnostics().check(Diagnostics.Needs.NONE)).anySatisfy(finding -> {
                assertThat(finding.check()).isEqualTo("price list");
                assertThat(finding.detail()).contains("prices are in USD, the budget is in EUR");
            });
        }
    }
}
