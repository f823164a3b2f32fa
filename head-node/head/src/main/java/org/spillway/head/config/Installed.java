package org.spillway.head.config;

import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.spillway.cloud.CloudDriver;

/**
 * Drivers and policies that a configuration may name.
 *
 * @param drivers by name
 * @param policies settings with all defaults ({@code ScalingPolicy.defaults()}) by policy name
 * @param managers workload managers by name, beside the head's own queue
 */
public record Installed(
        Map<String, CloudDriver> drivers, Map<String, Record> policies, Map<String, WorkloadKind> managers) {
    public Installed {
        drivers = new TreeMap<>(drivers);
        policies = new TreeMap<>(policies);
        managers = new TreeMap<>(managers);
    }

    /** With every driver that this program carries. */
    public static Installed withDrivers(Map<String, Record> policies, Map<String, ? extends WorkloadKind> managers) {
        var drivers = new TreeMap<String, CloudDriver>();
        for (var driver : ServiceLoader.load(CloudDriver.class)) {
            drivers.put(driver.name(), driver);
        }
        return new Installed(drivers, policies, Map.copyOf(managers));
    }
}
