package org.spillway.scaler.simulate.log;

import java.util.List;

/**
 * A log as it was read.
 *
 * @param source the file's name, without its folder
 * @param jobs in the order of their submission
 * @param machines the nodes that the log says there were; empty where it says nothing
 * @param leftOut jobs that never ran (cancelled while they waited) or had not ended
 * @param broken lines that could not be read and were skipped
 * @param named the first of them, each {@code file:line: what}
 */
public record WorkloadLog(
        String source,
        LogFormat format,
        List<LoggedJob> jobs,
        List<NodeGroup> machines,
        int leftOut,
        int broken,
        List<String> named) {
    public WorkloadLog {
        jobs = List.copyOf(jobs);
        machines = List.copyOf(machines);
        named = List.copyOf(named);
    }
}
