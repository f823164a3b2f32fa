package org.spillway.director;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.Results;

/** Makes reports for the head of what a node says, with results only when they are really here. */
record JobReports(SiteState state, StagingSpace staging, Syncs syncs, LogShelf logs) {

    /** Words of a node about attempts that are not ordered for it are left out. */
    List<JobReport> of(String node, LeaseText said) throws IOException {
        List<JobReport> reports = new ArrayList<>();
        for (LeaseText.Job job : said.jobs()) {
            var order = state.order(new SiteState.Task(job.job(), job.attempt(), node));
            if (order.isPresent()) {
                reports.add(report(node, job, order.get()));
            }
        }
        return reports;
    }

    private JobReport report(String node, LeaseText.Job job, JobOrder order) throws IOException {
        Results results = job.results();
        String message = job.message();
        if (results != null) {
            var here = staging.sealedBytes(order.outputKey());
            if (here.isEmpty() || here.getAsLong() != results.bytes()) {
                results = null;
                message = "its results are not in the staging space";
            }
        }
        boolean running = job.phase() == JobReport.Phase.RUNNING;
        return new JobReport(
                job.job(),
                job.attempt(),
                node,
                job.phase(),
                job.exitCode(),
                job.startedEpochMillis(),
                job.endedEpochMillis(),
                results,
                message,
                job.ranAsUser(),
                job.takenBack() ? Boolean.TRUE : null,
                job.fetchedBytes(),
                running ? syncs.of(order) : null,
                running ? logs.written(SiteState.Task.of(order)) : null);
    }
}
