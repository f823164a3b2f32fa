package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.TAGS;
import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** A launch gives what it says, once. */
abstract class LaunchDuties extends Duties {
    LaunchDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void givesInstancesThatRunAndBearTheirTags() throws Exception {
        LaunchRequest request = request(provider.offering("here"), 2, "");
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
        assertThat(answer.instances())
                .extracting(Instance::id)
                .doesNotHaveDuplicates()
                .hasSize(2);
        List<Instance> running = eventually(
                () -> listed(site, request),
                all -> all.size() == 2 && all.stream().allMatch(i -> i.state() == Instance.State.RUNNING));
        assertThat(running).allSatisfy(instance -> {
            assertThat(instance.offering()).isEqualTo(request.offering());
            assertThat(instance.address()).isNotEmpty();
            assertThat(instance.sshPort()).isPositive();
            assertThat(instance.tags())
                    .containsEntry(Instance.TAG_CLUSTER, "contract")
                    .containsEntry(Instance.TAG_SITE, "here")
                    .containsEntry(Instance.TAG_INTENT, request.intent())
                    .containsEntry(Instance.TAG_ATTEMPT, "1")
                    .containsAllEntriesOf(TAGS);
            assertThat(instance.failure()).isNull();
        });
    }

    @Test
    void takesAsMuchUserDataAsIsAllowed() throws Exception {
        String script = "#!/bin/sh\n#";
        String largest = script + "x".repeat(LaunchRequest.MAX_USER_DATA_BYTES - script.length());
        LaunchRequest request = request(provider.offering("here"), 1, largest);
        assertThat(site.compute().launch(request).outcome()).isEqualTo(new LaunchOutcome.Launched(1));
    }

    @Test
    void givesTheSameInstancesForTheSameRequest() throws Exception {
        LaunchRequest request = provider.one();
        Instance launched = first(site.compute().launch(request));
        assertThat(first(site.compute().launch(request)).id()).isEqualTo(launched.id());
        assertThat(listed(site, request)).hasSize(1);
    }

    @Test
    void givesOthersForTheNextAttempt() {
        LaunchRequest request = provider.one();
        LaunchRequest next =
                LaunchRequest.of(request.intent(), 2, request.offering(), 1).withTags(request.tags());
        assertThat(first(site.compute().launch(next)).id())
                .isNotEqualTo(first(site.compute().launch(request)).id());
    }

    @Test
    void refusesWhatIsNotForSale() {
        OfferingId good = provider.offering("here");
        for (OfferingId bad : List.of(
                new OfferingId("here", good.zone(), "no-such-type", good.market()),
                new OfferingId("here", "no-such-zone", good.instanceType(), Market.ON_DEMAND),
                new OfferingId("elsewhere", good.zone(), good.instanceType(), good.market()))) {
            assertThat(site.compute().launch(request(bad, 1, "")).outcome())
                    .isInstanceOfSatisfying(
                            LaunchOutcome.Refused.class,
                            refused -> assertThat(refused.reason()).isEqualTo(Reason.INVALID));
        }
    }
}
