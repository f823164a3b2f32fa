package org.spillway.localcloud;

import java.util.Optional;
import java.util.Set;
import org.spillway.cloud.CloudDriverContract;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** A driver's contract against a local cloud, whatever API that wears: what it sells, and how it is brought to bad luck. */
public abstract class EmulatedContract extends CloudDriverContract {
    /** The provider's wares, as its configuration says them. */
    protected static final String CATALOGUE = """
            zones: [a]
            types:
              - {name: small, cpus: 2, memoryGiB: 4, bootSeconds: 0.05}
              - {name: medium, cpus: 4, memoryGiB: 8, bootSeconds: 0.05}
              - {name: near, cpus: 4, memoryGiB: 8, bootSeconds: 0.05, fabric: efa}
              - {name: paper, cpus: 1, memoryGiB: 1, process: false, capacity: 20000, bootSeconds: 0}
            """;

    protected abstract LocalCloudProcess cloud();

    @Override
    protected void arrange(Luck luck) throws Exception {
        cloud().arrange(luck);
    }

    @Override
    protected void clearFaults() throws Exception {
        cloud().clearFaults();
    }

    @Override
    protected Set<String> roles() {
        return Set.of("power", "console", "network", "inventory");
    }

    @Override
    protected OfferingId offering(String siteName) {
        return new OfferingId(siteName, "a", "small", Market.ON_DEMAND);
    }

    @Override
    protected OfferingId otherOffering(String siteName) {
        return new OfferingId(siteName, "a", "medium", Market.ON_DEMAND);
    }

    @Override
    protected Optional<OfferingId> fabricOffering(String siteName) {
        return Optional.of(new OfferingId(siteName, "a", "near", Market.ON_DEMAND));
    }

    @Override
    protected OfferingId cheapOffering(String siteName) {
        return new OfferingId(siteName, "a", "paper", Market.SPOT);
    }

    @Override
    protected int manyInstances() {
        return 1001;
    }
}
