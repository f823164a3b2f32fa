package org.spillway.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that does nothing without one of its subcommands. */
public abstract class CommandGroup implements Runnable {
    @Spec
    protected CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and exit.")
    protected boolean help;

    @Override
    public final void run() {
        throw new ParameterException(spec.commandLine(), "Missing what to do");
    }
}
