package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.ProviderUnderTest.Luck;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.OfferingId;

/** A launch that names other offerings falls back on them, once. */
abstract class AlternativeDuties extends Duties {
    AlternativeDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void giveWhatTheFirstCannot() throws Exception {
        provider.arrange(new Luck.Short(provider.offering("here")));
        LaunchRequest request =
                request(request(provider.offering("here"), 2, ""), others(), LaunchRequest.Placement.NONE);
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
        assertThat(answer.instances()).extracting(Instance::offering).containsOnly(provider.otherOffering("here"));
        assertThat(refusedParts(answer)).containsExactly(provider.offering("here"));
        assertThat(answer.parts())
                .contains(new LaunchAnswer.Part(provider.otherOffering("here"), new LaunchOutcome.Launched(2)));
        assertThat(ids(listed(site, request))).containsExactlyInAnyOrderElementsOf(ids(answer.instances()));
    }

    @Test
    void giveTheSameInstancesForTheSameRequest() throws Exception {
        provider.arrange(new Luck.Short(provider.offering("here")));
        LaunchRequest request =
                request(request(provider.offering("here"), 2, ""), others(), LaunchRequest.Placement.NONE);
        List<String> ids = ids(site.compute().launch(request).instances());
        // The first has capacity again: that must not make a twin.
        assertThat(ids(site.compute().launch(request).instances())).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(listed(site, request)).hasSize(2);
    }

    @Test
    void allShortIsARefusalOfEach() throws Exception {
        provider.arrange(new Luck.Short(provider.offering("here")));
        provider.arrange(new Luck.Short(provider.otherOffering("here")));
        LaunchRequest request = request(provider.one(), others(), LaunchRequest.Placement.NONE);
        LaunchAnswer answer = site.compute().launch(request);
        assertRefused(Reason.CAPACITY, answer);
        assertThat(refusedParts(answer))
                .containsExactlyInAnyOrder(provider.offering("here"), provider.otherOffering("here"));
        assertThat(listed(site, request)).isEmpty();
    }

    private List<OfferingId> others() {
        return List.of(provider.otherOffering("here"));
    }

    private static List<OfferingId> refusedParts(LaunchAnswer answer) {
        return answer.parts().stream()
                .filter(part -> part.outcome() instanceof LaunchOutcome.Refused no && no.reason() == Reason.CAPACITY)
                .map(LaunchAnswer.Part::offering)
                .toList();
    }
}
