package org.spillway.head.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.head.bench.BenchCommand;
import org.spillway.head.config.Installed;
import org.spillway.head.demo.DemoCommand;
import org.spillway.head.simulate.SimulateCommand;
import org.spillway.policy.ScalingPolicy;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The commands by name. A command line is built with the one command that is asked for: making all of them would take
 * longer than most of them run.
 */
public final class Commands {
    private final Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    private final SequencedMap<String, List<String>> groups = new LinkedHashMap<>();

    /** Those that speak to a head, and {@code serve}, which is one. */
    public Commands(Supplier<Installed> installed, HeadStarter starter) {
        this(installed, starter, Map::of);
    }

    /** @param policies by name, for what decides again */
    public Commands(
            Supplier<Installed> installed, HeadStarter starter, Supplier<Map<String, ScalingPolicy<?>>> policies) {
        group("To begin with");
        add("demo", () -> new DemoCommand(installed));
        group("Jobs");
        add("submit", SubmitCommand::new);
        add("check", CheckCommand::new);
        add("queue", QueueCommand::new);
        add("job", JobCommand::new);
        add("explain", ExplainCommand::new);
        add("logs", LogsCommand::new);
        add("cancel", CancelCommand::new);
        group("Clusters on demand");
        add("cluster", ClusterCommand::commandLine);
        group("The cluster");
        add("queues", QueuesCommand::new);
        add("sites", SitesCommand::new);
        add("nodes", NodesCommand::new);
        add("node", NodeCommand::commandLine);
        add("plan", PlanCommand::new);
        add("breaker", BreakerCommand::commandLine);
        add("replay", () -> new ReplayCommand(policies));
        add("policy", PolicyCommand::commandLine);
        add("offerings", () -> new OfferingsCommand(installed));
        add("web", WebCommand::new);
        group("Providers");
        add("doctor", () -> new DoctorCommand(installed));
        add("audit", () -> new AuditCommand(installed));
        add("site", () -> SiteCommand.commandLine(installed));
        group("The head");
        add("serve", () -> new ServeCommand(installed, starter));
        add("stop", StopCommand::new);
        add("slurm", () -> SlurmCommand.commandLine(installed));
        group("Without a head");
        add("local-cloud", LocalCloudCommand::new);
        add("simulate", () -> new SimulateCommand(installed));
        add("simulate-faults", SimulateFaultsCommand::new);
        add("bench", BenchCommand::new);
    }

    /** What is added from here on stands below this in the help. */
    public Commands group(String title) {
        groups.put(title, new ArrayList<>());
        return this;
    }

    /** One more, in the order of the help. */
    public Commands add(String name, Supplier<Object> command) {
        commands.put(name, command);
        groups.lastEntry().getValue().add(name);
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
        line.getCommandSpec().usageMessage().commandListHeading("%n");
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, this::list);
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

    /** By what they are about, in the order in which they were added. */
    private String list(CommandLine.Help help) {
        var text = new StringBuilder();
        groups.forEach((title, names) -> {
            text.append(title).append(":\n");
            for (var name : names) {
                var command = help.subcommands().get(name);
                if (command != null) {
                    var what = String.join(
                            " ", command.commandSpec().usageMessage().description());
                    text.append(String.format(
                            Locale.ROOT,
                            "  %-16s%s%n",
                            name,
                            what.replaceFirst("[.:,;(].*", "").strip()));
                }
            }
        });
        return text.toString();
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
