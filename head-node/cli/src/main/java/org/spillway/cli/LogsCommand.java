package org.spillway.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "logs",
        description = {
            "Shows what a job writes: while it runs the last of it, once it has ended the file that came home.",
            "With -f: waits for its start, goes on until its end, and prints the rest."
        },
        footer = {"", "Examples:", "  spillway logs -f 42", "  spillway logs --stderr --rank 1 42"})
final class LogsCommand extends HeadCommand {
    @Option(
            names = {"-f", "--follow"},
            description = "Go on until the job has ended.")
    boolean follow;

    @Option(names = "--stderr", description = "Its standard error, not its standard output.")
    boolean stderr;

    @Option(names = "--rank", paramLabel = "N", description = "Which node of a gang; 0 unless given.")
    int rank;

    @Parameters(paramLabel = "ID", description = "The job's id.")
    String id = "";

    @Override
    public Integer call() throws InterruptedException {
        if (follow) {
            surroundings.needOwnProcess();
        }
        var log = new JobLog(
                head(), segment(id), stderr ? "stderr" : "stdout", rank, surroundings::needOwnProcess, out(), err());
        if (follow) {
            log.follow();
        } else {
            log.show();
        }
        return 0;
    }
}
