package org.spillway.cli;

import java.util.List;
import java.util.Map;
import org.spillway.api.BreakerView;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "breaker",
        description = "Shows what stops launches because something went wrong too often, and closes it.",
        footer = {
            "",
            "Examples:",
            "  spillway breaker list",
            "  spillway breaker close pool:east/a/small/ON_DEMAND",
            "",
            "pool     nodes of an offering, or of a site, do not come up",
            "fleet    too many of a site's nodes are lost or silent; closes by itself",
            "heartbeat  a site's director is not heard; closes by itself",
            "runaway  nodes of a site join and never take a job",
            "director  a site's directors do not come up; tried again after a day"
        })
final class BreakerCommand extends CommandGroup {
    /** With its subcommands. */
    static CommandLine commandLine() {
        var line = new CommandLine(new BreakerCommand());
        line.addSubcommand("list", new Listing());
        line.addSubcommand("close", new Closing());
        return line;
    }

    @Command(
            name = "list",
            description = "Lists breakers, those that are open first.",
            footer = {"", "Example:", "  spillway breaker list"})
    static final class Listing extends ReadingCommand {
        @Override
        protected String path() {
            return "/breakers";
        }

        @Override
        protected String page(HeadClient head) {
            return pages().breakers(head.list(path(), "breakers", BreakerView.class));
        }
    }

    @Command(
            name = "close",
            description = "Closes breakers, for administrators: launches go on, and failures are counted anew.",
            footer = {"", "Example:", "  spillway breaker close pool:east"})
    static final class Closing extends AnswerCommand {
        @Parameters(arity = "1..*", paramLabel = "NAME", description = "As 'spillway breaker list' prints it.")
        List<String> names = List.of();

        @Override
        public Integer call() {
            return each(names, name -> {
                var answer = head().post("/breakers/close", Map.of("name", name));
                if (json) {
                    showJson(answer);
                } else {
                    show(pages().breakers(List.of(HeadClient.read(answer, BreakerView.class))));
                }
            });
        }
    }
}
