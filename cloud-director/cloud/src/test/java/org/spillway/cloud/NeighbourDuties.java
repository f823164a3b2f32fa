package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Other clusters and sites are left alone. */
abstract class NeighbourDuties extends Duties {
    NeighbourDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void areNeitherListedNorEnded() throws Exception {
        Site otherCluster = provider.opened(provider.open("stranger", "here", false));
        Site otherSite = provider.opened(provider.open("contract", "there", false));
        LaunchRequest mine = provider.one();
        LaunchRequest siteMate = request(provider.offering("there"), 1, "");
        String strange = first(otherCluster.compute().launch(mine)).id();
        String mate = first(otherSite.compute().launch(siteMate)).id();
        String own = first(site.compute().launch(mine)).id();
        assertThat(own).isNotEqualTo(strange);
        assertThat(site.compute().list()).extracting(Instance::id).contains(own).doesNotContain(strange, mate);
        site.compute().terminate(List.of(strange, mate));
        assertThat(otherCluster.compute().list())
                .anyMatch(i -> i.id().equals(strange) && i.state().isLive());
        assertThat(otherSite.compute().list())
                .anyMatch(i -> i.id().equals(mate) && i.state().isLive());
    }
}
