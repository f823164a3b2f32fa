package org.spillway.cli;

import org.spillway.api.ExplainView;
import org.spillway.api.JobDetail;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A job of a cluster on demand. */
final class ClusterJobCommands {
    private ClusterJobCommands() {}

    @Command(
            name = "job",
            description = {
                "Shows one job of a cluster: its state, where its time went, its nodes and its cost.",
                "The cluster's owner sees its guests' jobs too; what they read and write only of guests in a group of"
                        + " the owner's."
            },
            footer = {"", "Example:", "  spillway cluster job demo1 7"})
    static final class Job extends ClusterCommand.OfOne {
        @Parameters(index = "1", paramLabel = "ID", description = "The job's id, as 'cluster queue' prints it.")
        String id = "";

        @Override
        public Integer call() {
            var body = head().get(path() + "/head/jobs/" + segment(id));
            return json ? showJson(body) : show(pages().job(HeadClient.read(body, JobDetail.class)));
        }
    }

    @Command(
            name = "explain",
            description = "Says in one sentence why a job of a cluster is where it is, and when it may start.",
            footer = {"", "Example:", "  spillway cluster explain demo1 7"})
    static final class Explain extends ClusterCommand.OfOne {
        @Parameters(index = "1", paramLabel = "ID", description = "The job's id, as 'cluster queue' prints it.")
        String id = "";

        @Override
        public Integer call() {
            var body = head().get(path() + "/head/jobs/" + segment(id) + "/explain");
            return json
                    ? showJson(body)
                    : show(HeadClient.read(body, ExplainView.class).sentence().replaceAll("\\p{Cntrl}", "?") + "\n");
        }
    }
}
