package org.spillway.cli;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.api.NodeOrder;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "node",
        description =
                "Buys nodes by hand, changes what there is, and shows what nodes are and said, for root and the user that the head runs as.",
        mixinStandardHelpOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway node add east gpu-large --count 2 --keep",
            "  spillway node drain n17 n18",
            "  spillway node power off n17",
            "  spillway node show n17",
            "  spillway node logs n17 --source kernel",
            "  spillway node repurpose n17 --category ml --drain"
        })
final class NodeCommand extends CommandGroup {
    private static final Map<String, String> CHANGES = new TreeMap<>(Map.of(
            "remove", "Ends nodes as soon as nothing runs on them; a director only without nodes.",
            "drain", "Gives nodes no further jobs. What runs goes on, and the nodes stay.",
            "resume", "Gives nodes jobs again.",
            "keep", "Keeps nodes, however long they are idle.",
            "unkeep", "Lets the policy end nodes again when they are idle.",
            "unfix", "Lets the scaler make another of nodes again that were repurposed, joined or left by hand."));

    /** With its subcommands. */
    static CommandLine commandLine() {
        var line = new CommandLine(new NodeCommand());
        line.addSubcommand("add", new Add());
        CHANGES.forEach((action, what) -> {
            var change = new CommandLine(new Change(action));
            change.getCommandSpec()
                    .name(action)
                    .usageMessage()
                    .description(what)
                    .footer("", "Example:", "  spillway node " + action + " n17");
            line.addSubcommand(action, change);
        });
        line.addSubcommand("power", new Power());
        line.addSubcommand("logs", new NodeLogsCommand());
        line.addSubcommand("show", new NodeShowCommand());
        NodeTurnCommands.addTo(line);
        return line;
    }

    @Command(
            name = "add",
            description = "Buys nodes in a site, within its limit and the budget.",
            footer = {"", "Example:", "  spillway node add east gpu-large --count 2 --keep"})
    static final class Add extends HeadCommand {
        @Option(names = "--count", paramLabel = "N", description = "How many; 1 unless given.")
        int count = 1;

        @Option(names = "--zone", paramLabel = "ZONE", description = "The provider's zone; otherwise the cheapest.")
        String zone = "";

        @Option(
                names = "--market",
                paramLabel = "MARKET",
                description = "on-demand, spot or reserved; on-demand unless given.")
        String market = "on-demand";

        @Option(names = "--keep", description = "They stay, however long they are idle.")
        boolean keep;

        @Option(names = "--json", description = "Print the nodes as JSON, for programs.")
        boolean json;

        @Parameters(index = "0", paramLabel = "SITE", description = "The site, as 'spillway sites' lists it.")
        String site = "";

        @Parameters(index = "1", paramLabel = "TYPE", description = "The provider's instance type.")
        String type = "";

        @Override
        public Integer call() {
            var body = head().post("/nodes", new NodeOrder(site, type, zone, market, count, keep));
            if (json) {
                return showJson(body);
            }
            var nodes = HeadClient.list(body, "nodes", NodeView.class);
            return show(
                    nodes.isEmpty()
                            ? "site " + site + " gets a director first, then the nodes: 'spillway nodes' shows them\n"
                            : pages().nodes(nodes));
        }
    }

    @Command
    static final class Change extends HeadCommand {
        private final String action;

        @Option(names = "--json", description = "Print each node as JSON, for programs.")
        boolean json;

        @Parameters(arity = "1..*", paramLabel = "NODE", description = "Ids, as 'spillway nodes' lists them.")
        List<String> nodes = List.of();

        Change(String action) {
            this.action = action;
        }

        @Override
        public Integer call() {
            return change(this, nodes, action, json);
        }
    }

    @Command(
            name = "power",
            description = "Stops an idle node, which then costs less, or starts it again, where the site can do that.",
            footer = {"", "Example:", "  spillway node power off n17"})
    static final class Power extends HeadCommand {
        /** As it is typed. */
        enum To {
            on,
            off
        }

        @Option(names = "--json", description = "Print each node as JSON, for programs.")
        boolean json;

        @Parameters(index = "0", paramLabel = "on|off", description = "What is wanted.")
        To to = To.on;

        @Parameters(index = "1..*", arity = "1..*", paramLabel = "NODE", description = "Ids of nodes.")
        List<String> nodes = List.of();

        @Override
        public Integer call() {
            return change(this, nodes, "power-" + to, json);
        }
    }

    private static int change(HeadCommand command, List<String> nodes, String action, boolean json) {
        nodes.forEach(HeadCommand::segment);
        var head = command.head();
        return command.each(nodes, id -> {
            var body = head.post("/nodes/" + id + "/" + action);
            if (json) {
                command.showJson(body);
                return;
            }
            command.show(line(HeadClient.read(body, NodeView.class)));
        });
    }

    /** The node's present state as a line. */
    static String line(NodeView node) {
        var is = new StringBuilder("node " + node.id() + " is " + node.state());
        if (node.state() != NodeState.REPURPOSING
                && !(node.category().isEmpty() && node.overlays().isEmpty())) {
            is.append(node.category().isEmpty() ? ", of no category" : ", of category " + node.category())
                    .append(node.overlays().isEmpty() ? "" : " with overlay " + String.join(", ", node.overlays()));
        }
        is.append(node.fixed() ? ", fixed" : "").append(node.keep() ? ", kept" : "");
        is.append(node.reason().isEmpty() ? "" : ": " + node.reason());
        return is.toString().replaceAll("\\p{Cntrl}", "?") + "\n";
    }
}
