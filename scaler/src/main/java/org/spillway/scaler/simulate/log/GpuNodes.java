package org.spillway.scaler.simulate.log;

import org.spillway.policy.Resources;

/**
 * How many nodes a job needs where a log counts GPUs only. A node has eight, as the larger machines of the Philly log and
 * most GPU nodes of today do; each GPU comes with 6 CPUs and 48 GiB. A gang has as few nodes as can be, all alike.
 */
public final class GpuNodes {
    public static final int GPUS_PER_NODE = 8;
    private static final int CPUS_PER_GPU = 6;
    private static final long MEMORY_PER_GPU = 48L << 30;

    private GpuNodes() {}

    /** A node at home, with a little more than its jobs can use. */
    public static Resources node() {
        return Resources.of(64, 512L << 30, GPUS_PER_NODE);
    }

    static int nodes(int gpus) {
        return (gpus + GPUS_PER_NODE - 1) / GPUS_PER_NODE;
    }

    static Resources perNode(int gpus) {
        int nodes = nodes(gpus);
        int each = (gpus + nodes - 1) / nodes;
        return Resources.of(each * CPUS_PER_GPU, each * MEMORY_PER_GPU, each);
    }
}
