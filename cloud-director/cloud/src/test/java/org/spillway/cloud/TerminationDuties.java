package org.spillway.cloud;

import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.listed;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Ending may be repeated, and takes unknown as gone. */
abstract class TerminationDuties extends Duties {
    TerminationDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void endsAndMayBeRepeated() throws Exception {
        LaunchRequest request = provider.one();
        String id = first(site.compute().launch(request)).id();
        site.compute().terminate(List.of(id));
        eventually(
                () -> listed(site, request),
                all -> all.stream().noneMatch(i -> i.state() != Instance.State.TERMINATED));
        site.compute().terminate(List.of(id));
    }

    @Test
    void takesUnknownAsGone() throws Exception {
        LaunchRequest request = provider.one();
        String id = first(site.compute().launch(request)).id();
        site.compute().terminate(List.of("i-00000000000000000", id));
        eventually(
                () -> listed(site, request),
                all -> all.stream().noneMatch(i -> i.state().isLive()));
    }
}
