package org.spillway.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "ssh",
        customSynopsis = "spillway ssh [OPTION...] JOB [COMMAND [ARGUMENT...]]",
        description = {
            "Opens a shell where a running job is, or runs a command there: the same user, folders, processes, GPUs, limits"
                    + " and environment. It ends with the job. Without COMMAND, on a terminal, it is one there.",
            "A line that is cut for a while ends nothing. Exits with the command's exit code; 255 when the session was"
                    + " lost."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway ssh 42",
            "  spillway ssh --node 1 42 nvidia-smi",
            "  spillway ssh --pty 42 top"
        })
final class SshCommand extends HeadCommand {
    @Option(names = "--node", paramLabel = "N", description = "Which node of a gang, by its rank; 0 unless given.")
    int node;

    @Option(names = "--pty", description = "Give COMMAND a terminal, too.")
    boolean pty;

    @Parameters(index = "0", paramLabel = "JOB", description = "The job's id.")
    String job = "";

    @Parameters(index = "1..*", paramLabel = "COMMAND", description = "Otherwise a shell.")
    List<String> words = List.of();

    @Override
    public Integer call() throws InterruptedException {
        surroundings.needOwnProcess();
        var head = head();
        // A head or a job that is not there is told at once, and not waited for.
        head.get("/jobs/" + segment(job));
        boolean terminal = pty || (words.isEmpty() && Terminal.isInputAndOutput());
        return new JobShell(head, err()).run(job, node, terminal, words);
    }
}
