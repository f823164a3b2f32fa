package org.spillway.head.tenant;

import java.io.IOException;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.spillway.head.config.WorkloadKind;

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

    /** @throws IOException if this program carries none of that name */
    public static WorkloadTenant of(String name) throws IOException {
        Map<String, WorkloadTenant> all = all();
        WorkloadTenant found = all.get(name);
        if (found == null) {
            throw new IOException(
                    "this program has no workload manager '" + name + "'; it has: " + String.join(", ", all.keySet()));
        }
        return found;
    }

    /** Managers with a section of their own in the configuration, by name. */
    public static Map<String, WorkloadKind> sections() {
        var sections = new TreeMap<String, WorkloadKind>();
        all().forEach((name, tenant) -> tenant.section().ifPresent(kind -> sections.put(name, kind)));
        return sections;
    }

    /** Managers that a cluster on demand may have for itself, by name. */
    public static Map<String, ChildManager> children() {
        var children = new TreeMap<String, ChildManager>();
        all().forEach((name, tenant) -> tenant.child().ifPresent(child -> children.put(name, child)));
        return children;
    }
}
