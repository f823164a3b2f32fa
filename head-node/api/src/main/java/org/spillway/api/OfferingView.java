package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;
import org.spillway.policy.Money;

/** A thing that a site offers. */
public record OfferingView(
        String site,

        String zone,

        @Describes("the provider's instance type") String type,

        @OneOf({"on-demand", "spot", "reserved"}) String market,

        int cpus,

        long memoryBytes,

        int gpus,

        @Describes("empty for none, or where it is not known")
        String gpuModel,

        @Describes("of each GPU; 0 where it is not known") long gpuMemoryBytes,

        @Describes("of disks that go with the instance") long localDiskBytes,

        @Describes("such as efa or infiniband; empty for none")
        String fabric,

        @Describes("such as x86_64; empty where it is not known")
        String architecture,

        @Describes("all of them, as a constraint may name them")
        List<String> features,

        @Describes("as the site pays it") Money pricePerHour,

        @Describes("good, or why it is not asked now") String health,

        @Describes("when it may be asked again; null when it may be asked now") @Nullable
        Instant retryAt) {
    public OfferingView {
        features = List.copyOf(features);
    }
}
