package org.spillway.cli;

import java.util.List;
import org.spillway.api.JobView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "cancel",
        description = {
            "Asks for the end of jobs. The id of an array means all its tasks. A job that has ended stays as it is;"
                    + " what a running one has made comes home."
        },
        footer = {"", "Examples:", "  spillway cancel 42", "  spillway cancel 43-7 44"})
final class CancelCommand extends HeadCommand {
    @Option(names = "--json", description = "Print the jobs as JSON, for programs, one answer for each id.")
    boolean json;

    @Parameters(arity = "1..*", paramLabel = "ID", description = "Ids of jobs or of arrays.")
    List<String> ids = List.of();

    @Override
    public Integer call() {
        ids.forEach(HeadCommand::segment);
        var head = head();
        return each(ids, id -> cancel(head, id));
    }

    private void cancel(HeadClient head, String id) {
        var tasks = head.findPost("/arrays/" + id + "/cancel");
        var body = tasks.orElseGet(() -> head.post("/jobs/" + id + "/cancel"));
        if (json) {
            showJson(body);
        } else if (tasks.isEmpty()) {
            var job = HeadClient.read(body, JobView.class);
            var what = job.state().isTerminal() ? "is " : "will be cancelled; now it is ";
            show("job " + job.id() + " " + what + job.state() + "\n");
        } else {
            var jobs = HeadClient.list(body, "jobs", JobView.class);
            long live = jobs.stream().filter(job -> !job.state().isTerminal()).count();
            show("array " + id + ": " + live + " of " + jobs.size() + " tasks will be cancelled, "
                    + (jobs.size() - live) + " have ended\n");
        }
    }
}
