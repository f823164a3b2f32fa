package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import org.junit.jupiter.api.Test;
import org.spillway.cloud.ProviderUnderTest.Luck;
import org.spillway.policy.LaunchOutcome;

/** Listings of more than one page. */
abstract class PageDuties extends Duties {
    PageDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void goesThroughEveryPage() throws Exception {
        LaunchRequest request = request(provider.cheapOffering("here"), provider.manyInstances(), "");
        assertThat(site.compute().launch(request).outcome())
                .isEqualTo(new LaunchOutcome.Launched(provider.manyInstances()));
        assertThat(listed(site, request))
                .extracting(Instance::id)
                .hasSize(provider.manyInstances())
                .doesNotHaveDuplicates();
        provider.arrange(new Luck.RepeatedPage());
        assertThat(listed(site, request))
                .as("with a page that comes twice")
                .extracting(Instance::id)
                .hasSize(provider.manyInstances())
                .doesNotHaveDuplicates();
    }
}
