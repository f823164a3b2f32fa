package org.spillway.scaler.simulate.log;

import java.util.Locale;

/** Whose log it is. */
public enum LogFormat {
    /** Standard Workload Format of the parallel workload archive. */
    SWF,
    /** {@code sacct -P}: a line of names, then a line for each job. */
    SACCT,
    /** Columns timestamp, duration, num_gpus, gpu_time, cluster. */
    PHILLY,
    /** A head's own journal; read by the head. */
    JOURNAL;

    /** As it is written in an option. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
