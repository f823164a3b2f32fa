package org.spillway.head.cli;

import org.spillway.head.rest.JobView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "cancel",
        description = "Asks for the end of a job. A job that has ended stays as it is.",
        footer = {"", "Example:", "  spillway cancel 42"})
final class CancelCommand extends HeadCommand {
    @Option(names = "--json", description = "Print the job as JSON, for programs.")
    boolean json;

    @Parameters(paramLabel = "ID", description = "The job's id.")
    String id = "";

    @Override
    public Integer call() {
        var body = head().post("/jobs/" + segment(id) + "/cancel");
        if (json) {
            return showJson(body);
        }
        var job = HeadClient.read(body, JobView.class);
        var what = job.state().isTerminal() ? "is " : "will be cancelled; now it is ";
        return show("job " + job.id() + " " + what + job.state() + "\n");
    }
}
