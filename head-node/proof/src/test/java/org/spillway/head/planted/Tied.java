package org.spillway.head.planted;

import org.spillway.slurm.SlurmTenant;

/** A head that opens one workload manager by hand. */
public final class Tied {
    public String manager() {
        return new SlurmTenant().name();
    }
}
