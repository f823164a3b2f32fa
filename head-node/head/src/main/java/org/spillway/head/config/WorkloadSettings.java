package org.spillway.head.config;

/** Settings of a workload manager that takes jobs by itself; only their tenant reads the rest. */
public interface WorkloadSettings {
    /** The manager's name as people write it. */
    String title();

    /** A hint for who gives the head a job that belongs to the manager. */
    String submitThere();
}
