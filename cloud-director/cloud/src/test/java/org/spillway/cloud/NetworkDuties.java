package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.policy.LaunchOutcome;

/** A network of our own is made once and leaves nothing; a guest stands apart in its host's. */
abstract class NetworkDuties extends Duties {
    NetworkDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void networkIsMadeOnceAndLeavesNothing() throws Exception {
        if (site.network().isEmpty()) {
            assertThat(provider.roles()).doesNotContain("network");
            return;
        }
        Site made = provider.opened(provider.openForNetwork("contract"));
        Network network = made.network().orElseThrow();
        List<Billable> things = network.create();
        assertThat(things).isNotEmpty();
        assertThat(network.create())
                .extracting(Billable::id)
                .containsExactlyInAnyOrderElementsOf(
                        things.stream().map(Billable::id).toList());
        Inventory inventory = made.inventory().orElseThrow();
        assertThat(ids(inventory, things)).hasSameSizeAs(things);
        LaunchRequest request = request(provider.offeringInMadeNetwork(), 1, "");
        String id = first(made.compute().launch(request)).id();
        made.compute().terminate(List.of(id));
        eventually(
                () -> listed(made, request),
                all -> all.stream().noneMatch(i -> i.state() != Instance.State.TERMINATED));
        network.delete();
        network.delete();
        eventually(() -> ids(inventory, things), List::isEmpty);
    }

    /** A cluster on demand in its parent's network: apart from it, and gone without touching it. */
    @Test
    void guestStandsInItsHostsNetworkAndApart() throws Exception {
        if (site.network().isEmpty()) {
            assertThat(provider.roles()).doesNotContain("network");
            return;
        }
        Site host = provider.opened(provider.openForNetwork("contract"));
        List<Billable> hosts = host.network().orElseThrow().create();
        Site guest = provider.opened(provider.openForNetwork("contract-c1"));
        Network network = guest.network().orElseThrow();
        LaunchAnswer early = guest.compute().launch(request(provider.offeringInMadeNetwork(), 1, ""));
        assertThat(early.outcome()).as("nothing keeps it apart yet").isInstanceOf(LaunchOutcome.Refused.class);
        List<Billable> own = network.create();
        assertThat(own).isNotEmpty().allSatisfy(thing -> {
            assertThat(thing.tags()).containsEntry(Instance.TAG_CLUSTER, "contract-c1");
            assertThat(thing.tags()).containsEntry(Instance.TAG_ROLE, "NETWORK");
        });
        List<String> ids = own.stream().map(Billable::id).toList();
        assertThat(network.create()).extracting(Billable::id).containsExactlyInAnyOrderElementsOf(ids);
        LaunchRequest request = request(provider.offeringInMadeNetwork(), 1, "");
        String id = first(guest.compute().launch(request)).id();
        assertThat(listed(host, request)).isEmpty();
        Inventory inventory = guest.inventory().orElseThrow();
        assertThat(inventory.all()).extracting(Billable::id).containsAll(ids).contains(id);
        assertThat(ids(inventory, hosts)).isEmpty();
        assertThat(ids(host.inventory().orElseThrow(), own)).isEmpty();
        guest.compute().terminate(List.of(id));
        eventually(
                () -> listed(guest, request),
                all -> all.stream().noneMatch(i -> i.state() != Instance.State.TERMINATED));
        network.delete();
        network.delete();
        eventually(() -> ids(inventory, own), List::isEmpty);
        assertThat(ids(host.inventory().orElseThrow(), hosts)).hasSameSizeAs(hosts);
        host.network().orElseThrow().delete();
        eventually(() -> ids(host.inventory().orElseThrow(), hosts), List::isEmpty);
    }

    private static List<String> ids(Inventory inventory, List<Billable> among) throws CloudException {
        List<String> wanted = among.stream().map(Billable::id).toList();
        return inventory.all().stream()
                .map(Billable::id)
                .filter(wanted::contains)
                .distinct()
                .toList();
    }
}
