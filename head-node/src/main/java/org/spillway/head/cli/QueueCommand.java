package org.spillway.head.cli;

import org.spillway.head.rest.JobView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "queue",
        description = "Lists your jobs that have not ended, newest first; root and the head's user see everybody's.",
        footer = {"", "Example:", "  spillway queue --all --json"})
final class QueueCommand extends ReadingCommand {
    @Option(names = "--all", description = "Also those that have ended.")
    boolean all;

    @Override
    String path() {
        return "/jobs?ended=" + all;
    }

    @Override
    String page(HeadClient head) {
        return pages().queue(head.list(path(), "jobs", JobView.class));
    }
}
