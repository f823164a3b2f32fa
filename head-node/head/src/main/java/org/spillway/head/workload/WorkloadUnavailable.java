package org.spillway.head.workload;

/** The workload manager did not answer. */
public final class WorkloadUnavailable extends Exception {
    private static final long serialVersionUID = 1;

    public WorkloadUnavailable(String message, Throwable cause) {
        super(message, cause);
    }
}
