package org.spillway.cli;

import picocli.CommandLine.Option;

/** A command that shows something and changes nothing. */
public abstract class ReadingCommand extends HeadCommand {
    @Option(names = "--json", description = "Print the head's answer as JSON, for programs.")
    boolean json;

    @Override
    public final Integer call() {
        return json ? showJson(head().get(path())) : show(page(head()));
    }

    /** The path to ask for. */
    protected abstract String path();

    protected abstract String page(HeadClient head);
}
