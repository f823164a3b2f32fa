package org.spillway.head.cli;

import org.spillway.head.rest.QueueView;
import picocli.CommandLine.Command;

@Command(
        name = "queues",
        description = "Lists the queues: their sites in order of preference, their limits, and what waits and runs.",
        footer = {"", "Example:", "  spillway queues"})
final class QueuesCommand extends ReadingCommand {
    @Override
    String path() {
        return "/queues";
    }

    @Override
    String page(HeadClient head) {
        return pages().queues(head.list(path(), "queues", QueueView.class));
    }
}
