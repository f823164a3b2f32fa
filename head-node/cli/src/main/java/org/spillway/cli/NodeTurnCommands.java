package org.spillway.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.spillway.api.Json;
import org.spillway.api.NodeTurnOrder;
import org.spillway.api.NodeView;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code node repurpose}, {@code join} and {@code leave}: what an administrator wants nodes to be. */
final class NodeTurnCommands {
    private NodeTurnCommands() {}

    static void addTo(CommandLine node) {
        node.addSubcommand("repurpose", new Repurpose());
        for (var action : List.of("join", "leave")) {
            var line = new CommandLine(new Overlay(action));
            boolean join = action.equals("join");
            line.getCommandSpec()
                    .name(action)
                    .usageMessage()
                    .description(
                            join
                                    ? "Makes a node take on a configuration overlay, beside what it is."
                                    : "Makes a node give up a configuration overlay.",
                            "It changes when nothing runs on it, passes its whole gate again, and is fixed as that:"
                                    + " the scaler makes nothing else of it before 'spillway node unfix'.")
                    .footer("", "Example:", "  spillway node " + action + " n17 solver --drain --wait");
            node.addSubcommand(action, line);
        }
    }

    /** Options that these commands have in common. */
    abstract static class Turn extends HeadCommand {
        @Option(
                names = "--drain",
                description = "A node with jobs gets no further ones, and changes when they are over.")
        boolean drain;

        @Option(names = "--wait", description = "Return only when each node serves as that, or does not become it.")
        boolean wait;

        @Option(names = "--json", description = "Print each node as JSON, for programs.")
        boolean json;

        int turn(HeadClient head, List<String> nodes, String action, NodeTurnOrder order, Predicate<NodeView> isThat)
                throws InterruptedException {
            nodes.forEach(HeadCommand::segment);
            Map<String, byte[]> told = new LinkedHashMap<>();
            int code = each(nodes, id -> {
                var body = head.post("/nodes/" + id + "/" + action, order);
                told.put(id, body);
                if (!wait) {
                    tell(body);
                }
            });
            if (wait) {
                var waiting = new JobWait(head, err());
                for (var id : told.keySet()) {
                    if (!await(head, waiting, id, isThat)) {
                        code = CliFailure.FAILED;
                    }
                }
            }
            return code;
        }

        private void tell(byte[] body) {
            if (json) {
                showJson(body);
            } else {
                show(NodeCommand.line(HeadClient.read(body, NodeView.class)));
            }
        }

        private boolean await(HeadClient head, JobWait waiting, String id, Predicate<NodeView> isThat)
                throws InterruptedException {
            return waiting.until(() -> {
                var node = head.list("/nodes", "nodes", NodeView.class).stream()
                        .filter(one -> one.id().equals(id))
                        .findFirst()
                        .orElse(null);
                if (node != null && isOnItsWay(node)) {
                    waiting.progress(NodeCommand.line(node).strip());
                    return null;
                }
                waiting.end();
                if (node == null) {
                    failed("node " + id + " is no more");
                    return false;
                }
                boolean good = serves(node) && isThat.test(node);
                if (json) {
                    show(Json.writeIndented(node) + "\n");
                } else if (good) {
                    show(NodeCommand.line(node));
                }
                if (!good) {
                    failed("it did not become that: " + NodeCommand.line(node).strip());
                }
                return good;
            });
        }

        private void failed(String why) {
            err().println("spillway: " + why);
            err().flush();
        }

        private static boolean isOnItsWay(NodeView node) {
            return switch (node.state()) {
                case REPURPOSING -> true;
                case DRAINING -> !node.becomes().isEmpty();
                default -> false;
            };
        }

        private static boolean serves(NodeView node) {
            return switch (node.state()) {
                case READY, DRAINING -> true;
                default -> false;
            };
        }
    }

    @Command(
            name = "repurpose",
            description = {
                "Makes nodes of another category, with its image and overlays, or of none.",
                "Each changes when nothing runs on it, passes its whole gate again, and is fixed as that: the scaler"
                        + " makes nothing else of it before 'spillway node unfix'."
            },
            footer = {
                "",
                "Examples:",
                "  spillway node repurpose n17 --category ml --wait",
                "  spillway node repurpose --site east --no-category --drain"
            })
    static final class Repurpose extends Turn {
        @Option(names = "--category", paramLabel = "NAME", description = "Of which they are to be.")
        @Nullable
        String category;

        @Option(names = "--no-category", description = "They are to be of none.")
        boolean none;

        @Option(names = "--site", paramLabel = "SITE", description = "All nodes of a site, in place of NODE.")
        String site = "";

        @Parameters(arity = "0..*", paramLabel = "NODE", description = "Ids, as 'spillway nodes' lists them.")
        List<String> nodes = List.of();

        @Override
        public Integer call() throws InterruptedException {
            if ((category == null) != none) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT, "one of --category NAME and --no-category is needed", "see --help");
            }
            if (nodes.isEmpty() == site.isEmpty()) {
                throw new CliFailure(CliFailure.BAD_INPUT, "either nodes or --site SITE is needed", "see --help");
            }
            var wanted = category == null ? "" : category;
            var head = head();
            return turn(
                    head,
                    site.isEmpty() ? nodes : of(head),
                    "repurpose",
                    new NodeTurnOrder(wanted, "", drain),
                    node -> node.category().equals(wanted));
        }

        private List<String> of(HeadClient head) {
            List<String> all = new ArrayList<>();
            for (var node : head.list("/nodes", "nodes", NodeView.class)) {
                boolean going = switch (node.state()) {
                    case TERMINATING, TERMINATED, FAILED, RECLAIMING, UNREACHABLE -> true;
                    default -> false;
                };
                if (node.site().equals(site) && node.role().equals("node") && !going) {
                    all.add(node.id());
                }
            }
            if (all.isEmpty()) {
                throw new CliFailure(
                        CliFailure.FAILED, "site '" + site + "' has no nodes", "'spillway nodes' lists nodes");
            }
            return all;
        }
    }

    @Command
    static final class Overlay extends Turn {
        private final String action;

        @Parameters(index = "0", paramLabel = "NODE", description = "Its id, as 'spillway nodes' lists it.")
        String node = "";

        @Parameters(index = "1", paramLabel = "OVERLAY", description = "Its name in the configuration.")
        String overlay = "";

        Overlay(String action) {
            this.action = action;
        }

        @Override
        public Integer call() throws InterruptedException {
            return turn(
                    head(),
                    List.of(node),
                    action,
                    new NodeTurnOrder("", overlay, drain),
                    found -> found.overlays().contains(overlay) == action.equals("join"));
        }
    }
}
