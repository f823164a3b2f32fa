package org.spillway.policy;

/**
 * Resources that one node offers or one job asks for per node.
 *
 * @param cpus whole logical CPUs, 0 or more
 * @param memoryBytes bytes, 0 or more
 * @param gpus whole GPUs, 0 or more
 * @param gpuModel lower-case model such as {@code h100}; empty means "any" in a request and "none or unknown" in an offer
 * @param localDiskBytes node-local scratch in bytes, 0 or more
 */
public record Resources(int cpus, long memoryBytes, int gpus, String gpuModel, long localDiskBytes) {
    public static final Resources NONE = new Resources(0, 0, 0, "", 0);

    public Resources {
        if (cpus < 0 || memoryBytes < 0 || gpus < 0 || localDiskBytes < 0) {
            throw new IllegalArgumentException("resources are never negative: " + cpus + " cpus, " + memoryBytes
                    + " bytes of memory, " + gpus + " gpus, " + localDiskBytes + " bytes of disk");
        }
    }

    public static Resources of(int cpus, long memoryBytes, int gpus) {
        return new Resources(cpus, memoryBytes, gpus, "", 0);
    }

    /** Whether this request fits into what {@code offer} has. */
    public boolean fitsIn(Resources offer) {
        return cpus <= offer.cpus
                && memoryBytes <= offer.memoryBytes
                && gpus <= offer.gpus
                && localDiskBytes <= offer.localDiskBytes
                && (gpus == 0 || gpuModel.isEmpty() || gpuModel.equals(offer.gpuModel));
    }

    /** How many of this request fit into {@code offer} side by side; at most {@code most}, which also bounds an empty request. */
    public int timesIn(Resources offer, int most) {
        if (!fitsIn(offer)) {
            return 0;
        }
        long times = most;
        times = least(times, cpus, offer.cpus);
        times = least(times, memoryBytes, offer.memoryBytes);
        times = least(times, gpus, offer.gpus);
        return (int) least(times, localDiskBytes, offer.localDiskBytes);
    }

    private static long least(long times, long request, long offer) {
        return request == 0 ? times : Math.min(times, offer / request);
    }

    /** This with {@code used} taken away; the model stays. */
    public Resources minus(Resources used) {
        return new Resources(
                cpus - used.cpus,
                memoryBytes - used.memoryBytes,
                gpus - used.gpus,
                gpuModel,
                localDiskBytes - used.localDiskBytes);
    }

    public Resources plus(Resources more) {
        return new Resources(
                cpus + more.cpus,
                memoryBytes + more.memoryBytes,
                gpus + more.gpus,
                gpuModel,
                localDiskBytes + more.localDiskBytes);
    }
}
