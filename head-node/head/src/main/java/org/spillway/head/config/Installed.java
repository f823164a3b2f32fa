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
 */
public record Installed(Map<String, CloudDriver> drivers, Map<String, Record> policies) {
    public Installed {
        drivers = new TreeMap<>(drivers);
        policies = new TreeMap<>(policies);
    }

    /** With every driver that this program carries. */
    public static Installed withPolicies(Map<String, Record> policies) {
        var drivers = new TreeMap<String, CloudDriver>();
        for (var driver : ServiceLoader.load(CloudDriver.class)) {
            drivers.put(driver.name(), driver);
        }
        return new Installed(drivers, policies);
    }
}
