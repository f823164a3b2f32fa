package org.spillway.director;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.OutputReport;

/** Makes reports for the head of what a node says, with those outputs only that are really here. */
record JobReports(SiteState state, StagingSpace staging) {

    /** What a node says of attempts that are not ordered for it is left out. */
    List<JobReport> of(String node, LeaseText said) throws IOException {
        List<JobReport> reports = new ArrayList<>();
        for (LeaseText.Job job : said.jobs()) {
            var order = state.order(node, job.job(), job.attempt());
            if (order.isPresent()) {
                reports.add(report(node, job, order.get()));
            }
        }
        return reports;
    }

    private JobReport report(String node, LeaseText.Job job, JobOrder order) throws IOException {
        // By index: a node that names one output many times must not make a report that nobody can read.
        Map<Integer, OutputReport> outputs = new TreeMap<>();
        String message = job.message();
        for (LeaseText.Output output : job.outputs()) {
            if (output.index() < 0 || output.index() >= order.outputs().size()) {
                continue;
            }
            JobOrder.Output place = order.outputs().get(output.index());
            boolean missing = output.sha256().isEmpty();
            var here = staging.sealedBytes(place.key());
            if (missing || (here.isPresent() && here.getAsLong() == output.bytes())) {
                outputs.put(
                        output.index(),
                        new OutputReport(place.key(), place.path(), output.bytes(), output.sha256(), missing));
            } else {
                message = "output " + output.index() + " is not in the staging space";
            }
        }
        return new JobReport(
                job.job(),
                job.attempt(),
                node,
                job.phase(),
                job.exitCode(),
                job.startedEpochMillis(),
                job.endedEpochMillis(),
                List.copyOf(outputs.values()),
                message,
                job.ranAsUser());
    }
}
