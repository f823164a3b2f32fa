package org.spillway.policy;

import java.util.Comparator;
import java.util.Set;

/**
 * A thing that can be bought.
 *
 * @param resources what one instance has, after what the operating system keeps
 * @param pricePerHour for one instance, as the site pays it
 * @param features what a constraint may name: {@code arch:x86_64}, {@code arch:arm64}, {@code fabric:efa}, {@code
 *     fabric:infiniband}, {@code nvme}, {@code gpu-fraction} (its GPU is a share of one), {@code without:spot} (while a demand asks for it)
 * @param gpuMemoryBytes of each GPU; 0 where there is none or it is not known
 * @param quotaFamily the provider's name of the quota that it counts against; empty where there is none or it is not known
 */
public record Offering(
        OfferingId id,
        Resources resources,
        Money pricePerHour,
        Set<String> features,
        long gpuMemoryBytes,
        String quotaFamily) {
    /** By price; equal ones reserved first, then by id. */
    public static final Comparator<Offering> CHEAPEST_FIRST = Comparator.comparing(Offering::pricePerHour)
            .thenComparing(one -> one.id().market(), Market.PAID_ANYWAY_FIRST)
            .thenComparing(Offering::id);

    public Offering {
        // Written before schema 2.
        quotaFamily = quotaFamily == null ? "" : quotaFamily;
        features = Set.copyOf(features);
        if (gpuMemoryBytes < 0) {
            throw new IllegalArgumentException("GPU memory is never negative: " + gpuMemoryBytes);
        }
    }

    /** An offering without features, whose GPUs' memory and quota are not known. */
    public static Offering of(OfferingId id, Resources resources, Money pricePerHour) {
        return new Offering(id, resources, pricePerHour, Set.of(), 0, "");
    }

    /** The same with other features. */
    public Offering withFeatures(Set<String> other) {
        return new Offering(id, resources, pricePerHour, other, gpuMemoryBytes, quotaFamily);
    }

    /** The same with other GPUs. @throws IllegalArgumentException if their memory is negative */
    public Offering withGpuMemoryBytes(long other) {
        return new Offering(id, resources, pricePerHour, features, other, quotaFamily);
    }

    /** The same that counts against another quota. */
    public Offering withQuotaFamily(String other) {
        return new Offering(id, resources, pricePerHour, features, gpuMemoryBytes, other);
    }
}
