package org.spillway.cli;

import org.spillway.api.NodeLogsView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "logs",
        description = {
            "Shows what a node said of itself, also one that is gone: console, kernel, agent, manager, health.",
            "For root and the user that the head runs as: jobs of several users may have been on it."
        },
        footer = {"", "Examples:", "  spillway node logs n17", "  spillway node logs n17 --boot 1 --source kernel"})
final class NodeLogsCommand extends HeadCommand {

    @Option(names = "--boot", paramLabel = "N", description = "Which boot of the node; the latest unless given.")
    int boot;

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = "One of console, kernel, agent, manager, health; all unless given.")
    String source = "";

    @Option(names = "--json", description = "Print the logs as JSON, for programs.")
    boolean json;

    @Parameters(paramLabel = "NODE", description = "Its id, as 'spillway nodes --all' lists it.")
    String node = "";

    @Override
    public Integer call() {
        if (!source.isEmpty() && !NodeLogsView.SOURCES.contains(source)) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--source: found '" + source + "'",
                    "allowed: " + String.join(", ", NodeLogsView.SOURCES));
        }
        if (boot < 0) {
            throw new CliFailure(CliFailure.BAD_INPUT, "--boot: found '" + boot + "'", "allowed: a number from 1");
        }
        var body = head().get("/nodes/" + segment(node) + "/logs?boot=" + boot
                + (source.isEmpty() ? "" : "&source=" + source));
        return json ? showJson(body) : show(page(HeadClient.read(body, NodeLogsView.class)));
    }

    /** Pure. */
    static String page(NodeLogsView view) {
        var page = new StringBuilder();
        for (var one : view.boots()) {
            page.append(one.number() == view.boot() ? "* " : "  ")
                    .append("boot ")
                    .append(one.number())
                    .append(": first heard ")
                    .append(Pages.CLOCK.format(one.firstHeard()))
                    .append(", last ")
                    .append(Pages.CLOCK.format(one.lastHeard()))
                    .append('\n');
        }
        for (var log : view.logs()) {
            page.append("\n==> ").append(log.source()).append(" <==\n");
            // Text of a node: nothing that steers a terminal.
            var text = log.text().replaceAll("[\\p{Cc}\\p{Cf}&&[^\\n\\t]]", "?");
            page.append(text).append(text.isEmpty() || text.endsWith("\n") ? "" : "\n");
        }
        if (view.logs().isEmpty()) {
            page.append("\nnothing is kept of that\n");
        }
        return page.toString();
    }
}
