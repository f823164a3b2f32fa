package org.spillway.slurm.command;

import java.util.List;
import java.util.function.Supplier;
import org.spillway.head.config.Installed;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "slurm",
        description = "Puts Slurm and the head together: what slurm.conf needs, and what a running Slurm lacks of it.",
        footer = {
            "",
            "Examples:",
            "  spillway slurm config --config spillway.yaml --out /etc/slurm",
            "  spillway slurm check --config spillway.yaml"
        })
final class SlurmCommand implements Runnable {
    @Spec
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and exit.")
    boolean help;

    /** With its subcommands. */
    static CommandLine commandLine(Supplier<Installed> installed) {
        var line = new CommandLine(new SlurmCommand());
        line.addSubcommand("config", new SlurmConfigCommand(installed));
        line.addSubcommand("check", new SlurmCheckCommand(installed));
        for (var action : List.of("resume", "suspend")) {
            var power = new CommandLine(new SlurmPowerCommand(action));
            power.getCommandSpec()
                    .name(action)
                    .usageMessage()
                    .footer(
                            "",
                            "Example:",
                            "  spillway slurm " + action + " --socket state/spillway.sock west-gpu-[1-4]");
            line.addSubcommand(action, power);
        }
        return line;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing what to do");
    }
}
