package org.spillway.cloud.openstack;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.openstack4j.model.compute.AbsoluteLimit;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Needs;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Quota;
import org.spillway.policy.Market;

/** The project's quotas of servers, vCPUs and memory, by Nova's limits ("Compute API, Limits"). All flavors count against all. */
final class OpenStackQuotas {
    /** Of every offering. */
    static final String FAMILY = "project";

    private OpenStackQuotas() {}

    /** Quotas that have a limit; below 0 there is none, and OpenStack4j says -1 for what is not told, too. */
    static List<Quota> of(AbsoluteLimit limits, String project) {
        List<Quota> all = new ArrayList<>();
        add(
                all,
                "instances",
                Quota.Unit.INSTANCES,
                limits.getTotalInstancesUsed(),
                limits.getMaxTotalInstances(),
                project);
        add(all, "cores", Quota.Unit.CPUS, limits.getTotalCoresUsed(), limits.getMaxTotalCores(), project);
        add(all, "ram", Quota.Unit.MEMORY_MIB, limits.getTotalRAMUsed(), limits.getMaxTotalRAMSize(), project);
        return all;
    }

    private static void add(List<Quota> all, String name, Quota.Unit unit, long used, long most, String project) {
        if (most >= 0) {
            all.add(new Quota(
                    name,
                    FAMILY,
                    "",
                    unit,
                    used < 0 ? Quota.UNTOLD : used,
                    most,
                    "ask the cloud's operator: openstack quota set --" + name + " NUMBER " + project));
        }
    }

    private static long needed(Quota quota, Flavors.Flavor flavor) {
        return switch (quota.unit()) {
            case INSTANCES -> 1;
            case CPUS -> flavor.resources().cpus();
            case MEMORY_MIB -> flavor.resources().memoryBytes() >> 20;
        };
    }

    /** By the largest flavor that is needed, else by the smallest that has a price. */
    static void say(
            List<Quota> quotas,
            Collection<Flavors.Flavor> flavors,
            Account account,
            Needs needs,
            List<Finding> findings) {
        for (Quota quota : quotas) {
            Comparator<Flavors.Flavor> bySize = Comparator.comparingLong((Flavors.Flavor each) -> needed(quota, each))
                    .thenComparing(Flavors.Flavor::name);
            Optional<Flavors.Flavor> must = flavors.stream()
                    .filter(each -> needs.instanceTypes().contains(each.name()))
                    .max(bySize);
            must.or(() -> flavors.stream()
                            .filter(each -> account.site()
                                    .price(each.name(), Market.ON_DEMAND)
                                    .isPresent())
                            .min(bySize))
                    .ifPresent(each -> findings.add(quota.finding(
                            each.name(), needed(quota, each), must.isPresent() ? Verdict.BROKEN : Verdict.WARNING)));
        }
    }
}
