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

    /** In a cluster of its own: a thousand that have ended would be in every listing of the cases behind this one. */
    @Test
    void goesThroughEveryPage() throws Exception {
        Site crowd = provider.opened(provider.open("crowd", "here", false));
        LaunchRequest request = request(provider.cheapOffering("here"), provider.manyInstances(), "");
        assertThat(crowd.compute().launch(request).outcome())
                .isEqualTo(new LaunchOutcome.Launched(provider.manyInstances()));
        assertThat(listed(crowd, request))
                .extracting(Instance::id)
                .hasSize(provider.manyInstances())
                .doesNotHaveDuplicates();
        provider.arrange(new Luck.RepeatedPage());
        assertThat(listed(crowd, request))
                .as("with a page that comes twice")
                .extracting(Instance::id)
                .hasSize(provider.manyInstances())
                .doesNotHaveDuplicates();
    }
}
