package org.spillway.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "ssh",
        customSynopsis = "spillway ssh [OPTION...] JOB|NODE|CLUSTER [COMMAND [ARGUMENT...]]",
        description = {
            "Opens a shell where a running job is, or runs a command there: the same user, folders, processes, GPUs, limits"
                    + " and environment. It ends with the job. Without COMMAND, on a terminal, it is one there.",
            "NODE is where the one job of yours runs that is there. In CLUSTER, a cluster on demand, it is a job of its own,"
                    + " of one CPU ('spillway run --cluster CLUSTER' takes options). Where a name is two things: job/NAME,"
                    + " node/NAME, cluster/NAME.",
            "A line that is cut for a while ends nothing. Exits with the command's exit code; 255 when the session was"
                    + " lost."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway ssh 42",
            "  spillway ssh --node 1 42 nvidia-smi",
            "  spillway ssh --pty 42 top",
            "  spillway ssh west-7",
            "  spillway ssh demo1"
        })
final class SshCommand extends SessionCommand {
    private static final String SHELL = "if [ -x /bin/bash ]; then exec /bin/bash; fi; exec /bin/sh";

    @Option(names = "--node", paramLabel = "N", description = "Which node of a gang, by its rank; 0 unless given.")
    int node;

    @Option(names = "--pty", description = "Give COMMAND a terminal, too.")
    boolean pty;

    @Parameters(
            index = "0",
            paramLabel = "JOB|NODE|CLUSTER",
            description = "The job's id, the name of a node or of a cluster on demand.")
    String place = "";

    @Parameters(index = "1..*", paramLabel = "COMMAND", description = "Otherwise a shell.")
    List<String> words = List.of();

    @Override
    public Integer call() throws InterruptedException {
        surroundings.needOwnProcess();
        var head = head();
        boolean terminal = pty || (words.isEmpty() && Terminal.isInputAndOutput());
        return switch (SshPlace.of(head, place, node)) {
            case SshPlace.Job(String id, int rank) -> new JobShell(head, err()).run(id, rank, terminal, words);
            case SshPlace.Cluster(String name) -> run(name, terminal);
        };
    }

    /** A cluster has no login either: a job there is what its owner may have, and pays. */
    private int run(String name, boolean terminal) throws InterruptedException {
        if (node != 0) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "--node is for a job, and '" + name + "' is a cluster", "leave --node out");
        }
        var job = new RunCommand();
        job.spec = spec;
        job.surroundings = surroundings;
        job.socket = socket;
        job.config = config;
        job.cluster = name;
        job.pty = terminal;
        job.words = words.isEmpty() ? List.of("/bin/sh", "-c", SHELL) : words;
        return job.call();
    }
}
