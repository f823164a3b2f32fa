package org.spillway.head.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.head.bench.BenchCommand;
import org.spillway.head.config.Installed;
import org.spillway.head.demo.DemoCommand;
import picocli.CommandLine;

/**
 * The commands by name. A command line is built with the one command that is asked for: making all of them would take
 * longer than most of them run.
 */
public final class Commands {
    private final Map<String, Supplier<Object>> commands = new LinkedHashMap<>();

    /** Those that speak to a head, and {@code serve}, which is one. */
    public Commands(Supplier<Installed> installed, HeadStarter starter) {
        add("demo", DemoCommand::new);
        add("serve", () -> new ServeCommand(installed, starter));
        add("submit", SubmitCommand::new);
        add("queue", QueueCommand::new);
        add("job", JobCommand::new);
        add("cancel", CancelCommand::new);
        add("nodes", NodesCommand::new);
        add("sites", SitesCommand::new);
        add("plan", PlanCommand::new);
        add("web", WebCommand::new);
        add("stop", StopCommand::new);
        add("local-cloud", LocalCloudCommand::new);
        add("simulate-faults", SimulateFaultsCommand::new);
        add("bench", BenchCommand::new);
    }

    /** One more, in the order of the help. */
    public Commands add(String name, Supplier<Object> command) {
        commands.put(name, command);
        return this;
    }

    /** @param root the command without a subcommand */
    public CommandLine commandLine(Object root, String... arguments) {
        var line = new CommandLine(root);
        var wanted = arguments.length == 0 ? null : commands.get(arguments[0]);
        if (wanted != null) {
            line.addSubcommand(arguments[0], wanted.get());
        } else {
            commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
        }
        line.setExecutionExceptionHandler(Commands::failed).setUsageHelpLongOptionsMaxWidth(28);
        // A script's argument may begin with '@'.
        line.setExpandAtFiles(false);
        for (var name : List.of("submit", "check")) {
            var command = line.getSubcommands().get(name);
            if (command != null) {
                // What stands behind the script is the script's, options too.
                command.setStopAtPositional(true);
            }
        }
        var localCloud = line.getSubcommands().get("local-cloud");
        if (localCloud != null) {
            localCloud.setUnmatchedOptionsArePositionalParams(true);
        }
        return line;
    }

    private static int failed(Exception failed, CommandLine line, CommandLine.@Nullable ParseResult result)
            throws Exception {
        if (!(failed instanceof CliFailure failure)) {
            throw failed;
        }
        var err = line.getErr();
        err.println("spillway: " + failure.getMessage());
        if (!failure.hint().isEmpty()) {
            err.println("  " + failure.hint());
        }
        err.flush();
        return failure.exitCode();
    }
}
