package org.spillway.head.command;

import java.nio.file.Path;
import java.util.function.Supplier;
import org.spillway.cli.CliFailure;
import org.spillway.cli.OwnCommand;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.Installed;
import org.spillway.settings.ConfigMistakes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "serve",
        description = {
            "Runs the head in the foreground until it is stopped. What runs already is adopted.",
            "A configuration with mistakes changes nothing: each is printed as FILE:LINE: key: what was found, and"
                    + " what is allowed; exit code 2."
        },
        footer = {"", "Example:", "  spillway serve --config spillway.yaml"})
public final class ServeCommand extends OwnCommand {
    private final Supplier<Installed> installed;
    private final HeadStarter starter;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            required = true,
            description = "The configuration (docs/config.md).")
    private Path config = Path.of("spillway.yaml");

    @Option(
            names = "--new-epoch",
            description = "Start with an empty journal although its cluster has run before: in quarantine, with numbers"
                    + " that were never given. Only when there is no backup of journal.db.")
    private boolean newEpoch;

    public ServeCommand(Supplier<Installed> installed, HeadStarter starter) {
        this.installed = installed;
        this.starter = starter;
    }

    @Override
    public Integer call() {
        try {
            return starter.run(ConfigReader.read(config, installed.get()), newEpoch);
        } catch (ConfigMistakes mistakes) {
            mistakes.lines().forEach(err()::println);
            err().flush();
            return CliFailure.BAD_INPUT;
        }
    }
}
