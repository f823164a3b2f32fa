package org.spillway.head.cli;

import org.spillway.head.rest.JobDetail;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "job",
        description = "Shows one job: its state and why, its timeline, its transfers and its cost.",
        footer = {"", "Example:", "  spillway job 42"})
final class JobCommand extends ReadingCommand {
    @Parameters(paramLabel = "ID", description = "The job's id, as 'submit' and 'queue' print it.")
    String id = "";

    @Override
    String path() {
        return "/jobs/" + segment(id);
    }

    @Override
    String page(HeadClient head) {
        return pages().job(head.get(path(), JobDetail.class));
    }
}
