package org.spillway.head.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that does nothing without one of its subcommands. */
abstract class CommandGroup implements Runnable {
    @Spec
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and exit.")
    boolean help;

    @Override
    public final void run() {
        throw new ParameterException(spec.commandLine(), "Missing what to do");
    }
}
