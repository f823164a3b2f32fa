package org.spillway.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The commands by name. A command line is built with the one command that is asked for: making all of them would take
 * longer than most of them run.
 */
public final class Commands {
    /** Order and titles of the help; a name that nobody brings is left out. */
    private static final SequencedMap<String, List<String>> CONTENTS = contents();

    private final Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    /** The place of each command, as its source says. */
    private final Map<String, String> titles = new LinkedHashMap<>();

    /** The client's own: those that speak to a head. */
    public Commands() {
        with(new ClientCommands());
    }

    /** Adds commands; of two with one name the later stays. */
    public Commands with(CommandSource source) {
        var brought = source.commands();
        commands.putAll(brought);
        brought.keySet().forEach(name -> titles.put(name, source.title()));
        return this;
    }

    /** Whether a command of that name is there. */
    boolean knows(String name) {
        return commands.containsKey(name);
    }

    private static SequencedMap<String, List<String>> contents() {
        var contents = new LinkedHashMap<String, List<String>>();
        contents.put("To begin with", List.of("demo"));
        contents.put(
                "Jobs",
                List.of(
                        "submit",
                        "check",
                        "run",
                        "ssh",
                        "forward",
                        "notebook",
                        "queue",
                        "job",
                        "explain",
                        "logs",
                        "cancel",
                        "stage"));
        contents.put("Clusters on demand", List.of("cluster"));
        contents.put(
                "The cluster",
                List.of(
                        "queues",
                        "sites",
                        "nodes",
                        "node",
                        "plan",
                        "breaker",
                        "recover",
                        "replay",
                        "policy",
                        "offerings",
                        "web"));
        contents.put("Providers", List.of("doctor", "audit", "site"));
        contents.put("The head", List.of("serve", "stop", "backup", "state", "image"));
        contents.put("Without a head", List.of("local-cloud", "simulate", "simulate-faults", "bench"));
        return contents;
    }

    /** Titles with the names below them; what stands in no list comes last below the title of its source. */
    private SequencedMap<String, List<String>> groups() {
        var groups = new LinkedHashMap<String, List<String>>();
        var others = new ArrayList<>(commands.keySet());
        CONTENTS.forEach((title, names) -> {
            groups.put(
                    title,
                    new ArrayList<>(names.stream().filter(commands::containsKey).toList()));
            others.removeAll(names);
        });
        for (String name : others) {
            groups.computeIfAbsent(titles.getOrDefault(name, "More"), title -> new ArrayList<>())
                    .add(name);
        }
        groups.values().removeIf(List::isEmpty);
        return groups;
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
        for (var name : List.of("submit", "check", "run", "ssh")) {
            var command = line.getSubcommands().get(name);
            if (command != null) {
                // Options behind the script, or the command, are its own.
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
        groups().forEach((title, names) -> {
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
        tell(failure, line.getErr());
        return failure.exitCode();
    }

    static void tell(CliFailure failure, PrintWriter err) {
        err.println("spillway: " + failure.getMessage());
        if (!failure.hint().isEmpty()) {
            err.println("  " + failure.hint());
        }
        err.flush();
    }
}
