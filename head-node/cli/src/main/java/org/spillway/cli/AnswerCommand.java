package org.spillway.cli;

import picocli.CommandLine.Option;

/** A command that shows what the head answers, to people or to programs. */
public abstract class AnswerCommand extends HeadCommand {
    @Option(names = "--json", description = "Print the head's answer as JSON, for programs.")
    protected boolean json;
}
