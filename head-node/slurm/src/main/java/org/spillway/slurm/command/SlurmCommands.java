package org.spillway.slurm.command;

import java.util.Map;
import java.util.function.Supplier;
import org.spillway.cli.CommandSource;
import org.spillway.head.command.HeadCommands;
import org.spillway.head.config.Installed;

/** The command {@code slurm}. */
public final class SlurmCommands implements CommandSource {
    private final Supplier<Installed> installed;

    /** With all that this program carries, for {@code ServiceLoader}. */
    public SlurmCommands() {
        this(HeadCommands::installed);
    }

    /** @param installed what a configuration may name */
    public SlurmCommands(Supplier<Installed> installed) {
        this.installed = installed;
    }

    @Override
    public Map<String, Supplier<Object>> commands() {
        return Map.of("slurm", () -> SlurmCommand.commandLine(installed));
    }

    @Override
    public String title() {
        return "The head";
    }
}
