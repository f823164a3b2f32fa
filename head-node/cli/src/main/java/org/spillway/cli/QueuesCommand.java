package org.spillway.cli;

import org.spillway.api.QueueView;
import picocli.CommandLine.Command;

@Command(
        name = "queues",
        description = "Lists the queues: their sites in order of preference, their limits, and what waits and runs.",
        footer = {"", "Example:", "  spillway queues"})
final class QueuesCommand extends ReadingCommand {
    @Override
    protected String path() {
        return "/queues";
    }

    @Override
    protected String page(HeadClient head) {
        return pages().queues(head.list(path(), "queues", QueueView.class));
    }
}
