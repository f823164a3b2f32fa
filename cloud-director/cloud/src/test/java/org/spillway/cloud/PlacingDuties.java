package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.ProviderUnderTest.Luck;
import org.spillway.cloud.ProviderUnderTest.Reserved;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** Fabric groups and reservations are used or declared absent. */
abstract class PlacingDuties extends Duties {
    PlacingDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void aFabricGroupHoldsItsInstancesOrIsDeclaredAbsent() throws Exception {
        LaunchRequest.Placement group = new LaunchRequest.Placement("gang-7", "");
        Optional<OfferingId> fabric = provider.fabricOffering("here");
        LaunchRequest request = request(request(fabric.orElse(provider.offering("here")), 2, ""), List.of(), group);
        LaunchAnswer answer = site.compute().launch(request);
        if (fabric.isEmpty()) {
            assertRefused(Reason.INVALID, answer);
            assertThat(listed(site, request)).isEmpty();
            return;
        }
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
        assertThat(ids(site.compute().launch(request).instances()))
                .containsExactlyInAnyOrderElementsOf(ids(answer.instances()));
        assertThat(listed(site, request))
                .extracting(instance -> instance.offering().zone())
                .hasSize(2)
                .containsOnly(fabric.orElseThrow().zone());
        // The node that a gang has lost is bought anew, beside the others.
        LaunchAnswer beside = site.compute().launch(request(request(fabric.orElseThrow(), 1, ""), List.of(), group));
        assertThat(beside.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
        assertThat(beside.instances())
                .singleElement()
                .satisfies(one -> assertThat(one.offering().zone())
                        .isEqualTo(fabric.orElseThrow().zone()));
    }

    @Test
    void aRefusedLaunchLeavesNoFabricGroup() throws Exception {
        Set<String> before = fabricGroups();
        OfferingId fabric = provider.fabricOffering("here").orElse(provider.offering("here"));
        provider.arrange(new Luck.Short(fabric));
        LaunchRequest.Placement group = new LaunchRequest.Placement("gang-refused", "");
        LaunchAnswer answer = site.compute().launch(request(request(fabric, 2, ""), List.of(), group));
        assertThat(answer.outcome()).isInstanceOf(LaunchOutcome.Refused.class);
        assertThat(fabricGroups()).isSubsetOf(before);
    }

    /** None is seen without the role. */
    private Set<String> fabricGroups() throws CloudException {
        Set<String> ids = new HashSet<>();
        List<Billable> bill =
                site.inventory().isPresent() ? site.inventory().orElseThrow().all() : List.of();
        for (Billable each : bill) {
            if (Set.of("placement-group", "server-group").contains(each.kind())) {
                ids.add(each.id());
            }
        }
        return ids;
    }

    @Test
    void aReservationIsUsedOrDeclaredAbsent() throws Exception {
        Optional<Reserved> reserved = provider.reserved("here");
        OfferingId any = provider.offering("here");
        OfferingId offering = reserved.map(Reserved::offering)
                .orElse(new OfferingId("here", any.zone(), any.instanceType(), Market.RESERVED));
        String reservation = reserved.map(Reserved::reservation).orElse("cr-0123456789abcdef0");
        LaunchRequest request =
                request(request(offering, 1, ""), List.of(), new LaunchRequest.Placement("", reservation));
        LaunchAnswer answer = site.compute().launch(request);
        if (reserved.isEmpty()) {
            assertRefused(Reason.INVALID, answer);
            assertThat(listed(site, request)).isEmpty();
            return;
        }
        assertThat(first(answer).offering()).isEqualTo(offering);
        assertThat(listed(site, request)).extracting(Instance::offering).containsExactly(offering);
    }

    @Test
    void aReservationThatIsNotThereIsRefused() throws Exception {
        OfferingId any = provider.reserved("here").map(Reserved::offering).orElse(provider.offering("here"));
        LaunchRequest request = request(
                request(new OfferingId("here", any.zone(), any.instanceType(), Market.RESERVED), 1, ""),
                List.of(),
                new LaunchRequest.Placement("", "no-such-reservation"));
        assertRefused(Reason.INVALID, site.compute().launch(request));
        assertThat(listed(site, request)).isEmpty();
    }
}
