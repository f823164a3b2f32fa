package org.spillway.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command or a group of them, with its help. */
abstract class HelpedCommand {
    @Spec
    protected CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and exit.")
    protected boolean help;
}
