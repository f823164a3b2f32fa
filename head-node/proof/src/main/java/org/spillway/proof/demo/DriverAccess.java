package org.spillway.proof.demo;

import java.io.IOException;
import java.util.List;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Network;
import org.spillway.cloud.Site;

/** A region as its driver sees it: the same driver as the head's, with the head's settings, in this process. */
record DriverAccess(String site, Site provider) implements ProviderAccess, AutoCloseable {
    @Override
    public List<LocalCloudAccess.Machine> machines() throws IOException {
        try {
            return provider.compute().list().stream().map(DriverAccess::machine).toList();
        } catch (CloudException failed) {
            throw said("could not be listed", failed);
        }
    }

    private static LocalCloudAccess.Machine machine(Instance instance) {
        return new LocalCloudAccess.Machine(
                instance.id(),
                instance.offering().instanceType(),
                instance.tags().getOrDefault(Instance.TAG_ROLE, ""),
                instance.state().name(),
                instance.address());
    }

    void terminate(List<String> instances) throws IOException {
        try {
            provider.compute().terminate(instances);
        } catch (CloudException failed) {
            throw said("could not end " + instances, failed);
        }
    }

    /** Makes the things that a region needs before its first instance; nothing where the driver makes no networks. */
    void createNetwork() throws IOException {
        try {
            if (provider.network().isPresent()) {
                provider.network().get().create();
            }
        } catch (CloudException failed) {
            throw said("got no network", failed);
        }
    }

    void deleteNetwork() throws IOException {
        try {
            if (provider.network().isPresent()) {
                Network network = provider.network().get();
                network.delete();
            }
        } catch (CloudException failed) {
            throw said("kept its network", failed);
        }
    }

    /**
     * Things that bear the cluster's mark and cost, or keep alive what costs; but for the network that was there
     * before.
     */
    List<Billable> bill() throws IOException {
        try {
            if (provider.inventory().isEmpty()) {
                return List.of();
            }
            Inventory inventory = provider.inventory().get();
            return inventory.all().stream()
                    .filter(thing -> thing.evidence() != Billable.Evidence.ACCOUNT
                            && !"NETWORK".equals(thing.tags().get(Instance.TAG_ROLE)))
                    .toList();
        } catch (CloudException failed) {
            throw said("told no inventory", failed);
        }
    }

    private IOException said(String what, CloudException failed) {
        return new IOException("site " + site + " " + what + ": " + failed.reason() + ", " + failed.getMessage());
    }

    @Override
    public void close() {
        provider.close();
    }
}
