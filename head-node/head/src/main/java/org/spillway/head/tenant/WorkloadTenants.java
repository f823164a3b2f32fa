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

    /** Managers that a cluster on demand may have for itself, by name. */
    public static Map<String, ChildManager> children() {
        var children = new TreeMap<String, ChildManager>();
        all().forEach((name, tenant) -> tenant.child().ifPresent(child -> children.put(name, child)));
        return children;
    }
}
