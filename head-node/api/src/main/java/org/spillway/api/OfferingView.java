package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Money;

/**
 * A thing that a site offers.
 *
 * @param market {@code on-demand}, {@code spot} or {@code reserved}
 * @param gpuModel empty for none, or where it is not known
 * @param gpuMemoryBytes of each GPU; 0 where it is not known
 * @param localDiskBytes of disks that go with the instance
 * @param fabric such as {@code efa} or {@code infiniband}; empty for none
 * @param architecture such as {@code x86_64}; empty where it is not known
 * @param features all of them, as a constraint may name them
 * @param pricePerHour as the site pays it
 * @param health {@code good}, or why it is not asked now
 * @param retryAt when it may be asked again; null when it may be asked now
 */
public record OfferingView(
        String site,
        String zone,
        String type,
        String market,
        int cpus,
        long memoryBytes,
        int gpus,
        String gpuModel,
        long gpuMemoryBytes,
        long localDiskBytes,
        String fabric,
        String architecture,
        List<String> features,
        Money pricePerHour,
        String health,
        @Nullable Instant retryAt) {
    public OfferingView {
        features = List.copyOf(features);
    }
}
