package org.spillway.slurm.command;

import java.util.List;
import java.util.function.Supplier;
import org.spillway.cli.CommandGroup;
import org.spillway.head.config.Installed;
import picocli.CommandLine;
import picocli.CommandLine.Command;

@Command(
        name = "slurm",
        description =
                "Puts Slurm and the head together: what slurm.conf needs, reversibly, and what a running Slurm lacks of it.",
        footer = {
            "",
            "Examples:",
            "  spillway slurm setup --config spillway.yaml",
            "  spillway slurm check --config spillway.yaml"
        })
final class SlurmCommand extends CommandGroup {
    /** With its subcommands. */
    static CommandLine commandLine(Supplier<Installed> installed) {
        var line = new CommandLine(new SlurmCommand());
        line.addSubcommand("setup", new SlurmSetupCommand(installed));
        line.addSubcommand("undo", new SlurmUndoCommand(installed));
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
}
