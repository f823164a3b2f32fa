package org.spillway.cli;

import org.spillway.api.NodeView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "nodes",
        description = "Lists the nodes and directors that exist or are being made, with what they cost.",
        footer = {"", "Example:", "  spillway nodes"})
final class NodesCommand extends ReadingCommand {
    @Option(names = "--all", description = "Also those that have ended (--json always lists them).")
    boolean all;

    @Override
    protected String path() {
        return "/nodes";
    }

    @Override
    protected String page(HeadClient head) {
        return pages().nodes(head.list(path(), "nodes", NodeView.class).stream()
                .filter(node -> all || !node.state().isTerminal())
                .toList());
    }
}
