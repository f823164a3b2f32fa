package org.spillway.localcloud;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.spillway.policy.Money;
import org.spillway.policy.Resources;

/**
 * A local-cloud's wares.
 *
 * @param network first numbers of its addresses: {@code 127.77}, or {@code 10.213.21} of a network that this machine, or
 *     the network namespace that the local-cloud runs in, leads to its instances; empty to choose a free one of 127
 * @param listen the address of its own API
 * @param manner of its front
 */
record LocalCloudConfig(
        String network, String listen, List<String> zones, List<MachineType> types, List<Fault> faults, Manner manner) {
    static final Duration DEFAULT_BOOT_TIME = Duration.ofMillis(300);
    static final String LOOPBACK = "127.0.0.1";
    static final int DEFAULT_CAPACITY = 100;
    private static final long GIB = 1L << 30;

    LocalCloudConfig {
        zones = List.copyOf(zones);
        types = List.copyOf(types);
        faults = List.copyOf(faults);
    }

    static LocalCloudConfig builtIn() {
        return new LocalCloudConfig(
                "",
                LOOPBACK,
                List.of("a", "b"),
                List.of(
                        type("small", 2, 4, 0, "0.05", "0.02"),
                        type("cpu.large", 8, 32, 0, "0.40", "0.15"),
                        type("gpu.small", 8, 64, 1, "3.50", "1.20"),
                        type("gpu.large", 32, 256, 4, "14.00", "5.00")),
                List.of(),
                Manner.PLAIN);
    }

    /** The same with a front of another manner. */
    LocalCloudConfig with(Manner other) {
        return new LocalCloudConfig(network, listen, zones, types, faults, other);
    }

    private static MachineType type(String name, int cpus, int memoryGib, int gpus, String price, String spotPrice) {
        Resources resources = new Resources(cpus, memoryGib * GIB, gpus, gpus > 0 ? "h100" : "", 100 * GIB);
        return new MachineType(
                name,
                resources,
                Money.parse(price),
                Money.parse(spotPrice),
                DEFAULT_CAPACITY,
                DEFAULT_BOOT_TIME,
                true,
                gpus > 0 ? 80 * GIB : 0,
                Set.of("arch:x86_64"),
                "");
    }

    Optional<MachineType> type(String name) {
        return types.stream().filter(type -> type.name().equals(name)).findFirst();
    }
}
