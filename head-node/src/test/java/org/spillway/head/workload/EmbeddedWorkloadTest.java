package org.spillway.head.workload;

final class EmbeddedWorkloadTest extends WorkloadManagerContract {
    @Override
    WorkloadManager manager() {
        return new EmbeddedWorkload();
    }
}
