package org.spillway.head.tenant;

import org.spillway.head.config.HeadConfig;
import org.spillway.head.workload.EmbeddedWorkload;

/** The head's own queue, for {@code ServiceLoader}: without settings, without users of its own. */
public final class EmbeddedTenant implements WorkloadTenant {
    @Override
    public String name() {
        return HeadConfig.Workload.OWN;
    }

    @Override
    public Tenancy open(Ground ground) {
        var queue = new EmbeddedWorkload();
        return () -> queue;
    }
}
