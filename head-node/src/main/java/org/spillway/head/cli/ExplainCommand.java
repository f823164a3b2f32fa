package org.spillway.head.cli;

import org.spillway.head.rest.ExplainView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "explain",
        description = "Says in one sentence why a job is where it is, and when it may start.",
        footer = {"", "Example:", "  spillway explain 42"})
final class ExplainCommand extends ReadingCommand {
    @Parameters(paramLabel = "ID", description = "The job's id, as 'submit' and 'queue' print it.")
    String id = "";

    @Override
    String path() {
        return "/jobs/" + segment(id) + "/explain";
    }

    @Override
    String page(HeadClient head) {
        return head.get(path(), ExplainView.class).sentence().replaceAll("\\p{Cntrl}", "?") + "\n";
    }
}
