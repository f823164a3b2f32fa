package org.spillway.cli;

import picocli.CommandLine.ParameterException;

/** A command that does nothing without one of its subcommands. */
public abstract class CommandGroup extends HelpedCommand implements Runnable {
    @Override
    public final void run() {
        throw new ParameterException(spec.commandLine(), "Missing what to do");
    }
}
