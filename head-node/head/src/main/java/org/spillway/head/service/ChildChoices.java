package org.spillway.head.service;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.cloud.CloudDriver;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.tenant.ChildManager;

/**
 * Whose machines a cluster on demand may be made of, and who may give jobs to its nodes: what this program carries says so
 * itself.
 *
 * @param drivers by name
 * @param managers by name, beside the queue of the cluster's head
 */
record ChildChoices(Map<String, CloudDriver> drivers, Map<String, ChildManager> managers) {
    ChildChoices {
        drivers = Map.copyOf(drivers);
        managers = Map.copyOf(managers);
    }

    /** @throws ApiException where the site's machines cannot be a head */
    void refuseDriver(String site, String driver) {
        CloudDriver its = drivers.get(driver);
        if (its == null || !its.makesHeads()) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "site " + site + " has the driver '" + driver + "'",
                    "clusters are made in sites with one of: "
                            + drivers.values().stream()
                                    .filter(CloudDriver::makesHeads)
                                    .map(CloudDriver::name)
                                    .sorted()
                                    .collect(Collectors.joining(", ")));
        }
    }

    /** @return as a cluster's record has it: empty for its head's own queue. @throws ApiException if it cannot be had there */
    String manager(String name, String site, String driver) {
        if (name.isEmpty() || name.equals(HeadConfig.Workload.OWN)) {
            return "";
        }
        ChildManager manager = managers.get(name);
        if (manager == null) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "workload: found '" + name + "'",
                    "allowed: "
                            + String.join(
                                    ", ",
                                    Stream.concat(
                                                    Stream.of(HeadConfig.Workload.OWN),
                                                    managers.keySet().stream().sorted())
                                            .toList()));
        }
        CloudDriver its = drivers.get(driver);
        if (its != null && its.isOfThisMachine()) {
            manager.lack(site).ifPresent(lack -> {
                throw new ApiException(
                        Code.UNAVAILABLE, "workload: found '" + name + "', and " + lack.what(), lack.repair());
            });
        }
        return name;
    }
}
