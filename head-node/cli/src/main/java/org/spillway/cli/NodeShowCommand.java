package org.spillway.cli;

import org.spillway.api.NodePageView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "show",
        description = {
            "Shows all that is known of a node or director, also of one that is gone: where it is, what it is, each check of its"
                    + " gate, its faults and states, who holds it, and where its last words are.",
            "For root and the user that the head runs as."
        },
        footer = {"", "Examples:", "  spillway node show east-17", "  spillway node show east-17 --json"})
final class NodeShowCommand extends ReadingCommand {
    @Parameters(paramLabel = "NODE", description = "Its id, as 'spillway nodes --all' lists it.")
    String node = "";

    @Override
    protected String path() {
        return "/nodes/" + segment(node);
    }

    @Override
    protected String page(HeadClient head) {
        return pages().node(head.get(path(), NodePageView.class));
    }
}
