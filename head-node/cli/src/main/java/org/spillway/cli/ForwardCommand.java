package org.spillway.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.spillway.api.session.Session;
import org.spillway.api.session.SessionFault;
import org.spillway.cli.session.Forward;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "forward",
        customSynopsis = "spillway forward [OPTION...] JOB [LOCAL:]PORT",
        description = {
            "Makes a port of a running job's node one of this machine's: what connects to 127.0.0.1:LOCAL here is"
                    + " connected to 127.0.0.1:PORT there, as you. LOCAL is PORT unless given, 0 for any. Connections of"
                    + " other users of this machine are refused.",
            "It goes on until the job has ended, or Ctrl-C. A line that is cut for a while ends nothing."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway forward 42 8888",
            "  spillway forward --node 1 42 9000:8888",
            "  spillway forward --at ~/.jupyter.sock 42 8888"
        })
final class ForwardCommand extends SessionCommand {
    private static final Pattern PORTS = Pattern.compile("(?:(?<local>\\d{1,5}):)?(?<port>[1-9]\\d{0,4})");
    private static final int MOST = 65_535;

    @Option(names = "--node", paramLabel = "N", description = "Which node of a gang, by its rank; 0 unless given.")
    int node;

    @Option(
            names = "--at",
            paramLabel = "PATH",
            description = "Listen on a UNIX socket that only you can open, and on no port.")
    @Nullable
    Path at;

    @Parameters(index = "0", paramLabel = "JOB", description = "The job's id.")
    String job = "";

    @Parameters(index = "1", paramLabel = "[LOCAL:]PORT", description = "The ports.")
    String ports = "";

    @Override
    public Integer call() throws InterruptedException {
        surroundings.needOwnProcess();
        var match = PORTS.matcher(ports);
        if (!match.matches() || Integer.parseInt(match.group("port")) > MOST) {
            throw wrong();
        }
        int port = Integer.parseInt(match.group("port"));
        int local = match.group("local") == null ? port : Integer.parseInt(match.group("local"));
        if (local > MOST || (at != null && match.group("local") != null)) {
            throw wrong();
        }
        var head = head();
        // A head or a job that is not there is told at once, and not waited for.
        head.get("/jobs/" + segment(job));
        var session = new Session(JobShell.wire(head, job, node), Session.Times.USUAL).start();
        var leaves = new Thread(session::leave);
        Runtime.getRuntime().addShutdownHook(leaves);
        try {
            new JobShell(head, err()).wait(session);
            return forward(session, local, port);
        } catch (SessionFault lost) {
            throw new CliFailure(CliFailure.FAILED, "the session is over: " + lost.getMessage(), "");
        }
    }

    private int forward(Session session, int local, int port) throws InterruptedException {
        var target = new Forward.Target.Port(port);
        try (var forward = at == null
                ? Forward.onPort(session, local, target, this::tell)
                : Forward.onSocket(session, at.toAbsolutePath(), target, this::tell)) {
            tell((at == null ? "127.0.0.1:" + forward.localPort() : at.toString()) + " is port " + port + " of job "
                    + job);
            tell(session.end().why());
            return 0;
        } catch (IOException taken) {
            session.leave();
            throw new CliFailure(
                    CliFailure.FAILED,
                    "cannot listen " + (at == null ? "on 127.0.0.1:" + local : "at " + at) + ": " + taken.getMessage(),
                    "name another: 0:" + port + " takes any port that is free");
        }
    }

    private CliFailure wrong() {
        return new CliFailure(
                CliFailure.BAD_INPUT,
                "'" + ports + "' is no port to forward",
                "write PORT or LOCAL:PORT, each to 65535; with --at PORT alone");
    }

    private void tell(String text) {
        if (!text.isEmpty()) {
            err().println("spillway: " + text);
            err().flush();
        }
    }
}
