package org.spillway.cli;

import org.spillway.api.JobDetail;
import org.spillway.api.JobView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "job",
        description = {
            "Shows one job: its state and why, where its time went, its nodes, its transfers and its cost.",
            "For an array: its tasks."
        },
        footer = {"", "Examples:", "  spillway job 42", "  spillway job 43-7"})
final class JobCommand extends AnswerCommand {
    @Parameters(paramLabel = "ID", description = "The id of a job or an array, as 'submit' and 'queue' print it.")
    String id = "";

    @Override
    public Integer call() {
        var head = head();
        var path = "/jobs/" + segment(id);
        var job = head.find(path);
        if (job.isPresent()) {
            return json ? showJson(job.get()) : show(pages().job(HeadClient.read(job.get(), JobDetail.class)));
        }
        var tasks = head.find("/arrays/" + id);
        if (tasks.isEmpty()) {
            // Once more, for what the head says.
            head.get(path);
        }
        var body = tasks.orElseThrow();
        return json ? showJson(body) : show(pages().tasks(HeadClient.list(body, "jobs", JobView.class)));
    }
}
