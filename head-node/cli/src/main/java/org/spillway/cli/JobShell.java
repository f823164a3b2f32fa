package org.spillway.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.spillway.api.session.Session;
import org.spillway.api.session.SessionFault;
import org.spillway.cli.session.Shell;
import org.spillway.cli.session.TerminalMode;

/** A command in the room of a running job, with this process's terminal or its three streams. */
final class JobShell {
    /** A head that is told the command's end by a session that it cannot have any more. */
    static final int LOST = 255;

    private static final Duration LOOK = Duration.ofSeconds(1);

    private final HeadClient head;
    private final PrintWriter err;

    JobShell(HeadClient head, PrintWriter err) {
        this.head = head;
        this.err = err;
    }

    /** The way to one node of a job, in one session. */
    static Session.Wire wire(HeadClient head, String job, int rank) {
        var drawn = new byte[16];
        new SecureRandom().nextBytes(drawn);
        var path = "/jobs/" + job + "/sessions/" + HexFormat.of().formatHex(drawn) + "?rank=" + rank;
        return () -> head.stream(path);
    }

    /**
     * Runs it to its end.
     *
     * @param words empty for a shell
     * @param terminal whether it gets this process's terminal
     * @return the command's exit code
     */
    int run(String job, int rank, boolean terminal, List<String> words) throws InterruptedException {
        var out = new FileOutputStream(FileDescriptor.out);
        var shell = new Shell(
                wire(head, job, rank),
                Session.Times.USUAL,
                new Shell.Streams(
                        new FileInputStream(FileDescriptor.in), out, new FileOutputStream(FileDescriptor.err), out));
        var mode = new AtomicReference<@Nullable TerminalMode>();
        // However this process ends, but by SIGKILL: the keeper of the terminal hears of that, and the node waits for a
        // while.
        var hook = new Thread(() -> {
            shell.leave();
            restore(mode.get());
        });
        Runtime.getRuntime().addShutdownHook(hook);
        var session = shell.connect();
        try {
            wait(session);
            if (terminal) {
                mode.set(TerminalMode.raw(shell::resized));
            }
            var name = System.getenv("TERM");
            var exit = shell.run(words, mode.get(), name == null ? "dumb" : name);
            shell.close();
            restore(mode.get());
            tell(exit.why());
            return exit.code();
        } catch (IOException none) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "a terminal is wanted, and there is none here", "leave --pty out");
        } catch (SessionFault | CliFailure lost) {
            restore(mode.get());
            if (lost instanceof CliFailure refused && !session.met(Duration.ZERO)) {
                throw refused;
            }
            tell(String.valueOf(lost.getMessage()));
            return LOST;
        } finally {
            restore(mode.get());
            forget(hook);
        }
    }

    /** The head says that a job runs as soon as it has its node, which may be a while before it does. */
    void wait(Session session) throws InterruptedException {
        boolean told = false;
        while (!session.met(LOOK)) {
            var why = session.trouble();
            Terminal.progress(err, "waiting for the node" + (why.isEmpty() ? "" : ": " + why));
            told = true;
        }
        if (told) {
            Terminal.progress(err, "");
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            return; // it runs
        }
    }

    private static void restore(@Nullable TerminalMode mode) {
        if (mode != null) {
            mode.close();
        }
    }

    private void tell(String why) {
        if (!why.isEmpty()) {
            err.println("spillway: the session is over: " + why);
            err.flush();
        }
    }
}
