package org.spillway.head.tenant;

import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** Finds the tenants that this program carries. */
public final class WorkloadTenants {
    private WorkloadTenants() {}

    /** By name. */
    public static Map<String, WorkloadTenant> all() {
        var all = new TreeMap<String, WorkloadTenant>();
        for (var tenant : ServiceLoader.load(WorkloadTenant.class)) {
            all.put(tenant.name(), tenant);
        }
        return all;
    }
}
