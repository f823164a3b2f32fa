package org.spillway.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.NodeView;
import org.spillway.api.Submitted;
import org.spillway.api.session.SessionFault;
import org.spillway.settings.Quantities;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "notebook",
        customSynopsis = {"spillway notebook [OPTION...]", "       spillway notebook [--port PORT] JOB"},
        description = {
            "Runs a Jupyter as a job of one node, and prints a link to it that works on this machine, for you alone. Other"
                    + " options are those of 'spillway submit'. With JOB: the link to one that runs.",
            "What changes in its folder comes home each minute (--sync) and at its end. It ends when nobody has used it for"
                    + " --idle. Ctrl-C leaves it as it is. A line that is cut for a while ends nothing."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway notebook --gpus 1 --time 4h --dir project",
            "  spillway notebook --setup '. /opt/torch/bin/activate' --idle 2h",
            "  spillway notebook 42"
        })
final class NotebookCommand extends SessionCommand {
    private static final Duration SHORTEST_IDLE = Duration.ofMinutes(1);
    private static final Duration LONGEST_IDLE = Duration.ofDays(7);
    private static final int MOST_PORT = 65_535;
    private static final int NO_NOTEBOOK = 2;
    private static final long AGAIN_MILLIS = 1000;
    private static final int LOOKS = 5;
    private static final String KIND = "notebook";
    private static final List<String> OF_A_LINK = List.of("--port", "--cluster", "--socket", "--config");

    @Mixin
    JobOptions options = new JobOptions();

    @Option(
            names = "--dir",
            paramLabel = "FOLDER",
            description =
                    "A folder that it works in a copy of; what changes comes back to it. Otherwise an empty one, of"
                            + " which all comes to ./notebook-ID.")
    @Nullable
    String dir;

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            defaultValue = "30m",
            description =
                    "It ends when for so long no cell ran, no terminal showed anything new and no file of its folder"
                            + " changed: 1m to 7d; ${DEFAULT-VALUE} unless given.")
    String idle = "";

    @Option(
            names = "--setup",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "A line of shell before a Jupyter is looked for, such as 'module load jupyter'.")
    String setup = "";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "The port here, on 127.0.0.1; any that is free unless given.")
    int port;

    @Parameters(index = "0", arity = "0..1", paramLabel = "JOB", description = "A notebook that runs.")
    String job = "";

    /** The one of the link that was printed last. */
    private String token = "";

    private final AtomicReference<@Nullable NotebookLine> line = new AtomicReference<>();

    @Override
    public Integer call() throws InterruptedException {
        surroundings.needOwnProcess();
        if (port < 0 || port > MOST_PORT) {
            throw bad("--port: '" + port + "' is no port", "allowed: 1 to " + MOST_PORT + ", 0 for any");
        }
        refuseOptionsOfAJob();
        var head = head();
        String id = job.isEmpty() ? submit(head) : segment(job);
        if (!job.isEmpty()) {
            // A head or a job that is not there is told at once.
            head.get("/jobs/" + id);
        }
        var leaves = new Thread(() -> leave(id));
        Runtime.getRuntime().addShutdownHook(leaves);
        boolean begun;
        try {
            begun = waitForStart(head, id);
            if (begun) {
                serve(head, id);
            }
        } finally {
            forget(leaves);
        }
        return end(head, id, begun);
    }

    /** A job that runs is as it was asked for. */
    private void refuseOptionsOfAJob() {
        var chosen = spec.commandLine().getParseResult().matchedOptions().stream()
                .map(option -> option.longestName())
                .filter(option -> !OF_A_LINK.contains(option))
                .toList();
        if (!job.isEmpty() && !chosen.isEmpty()) {
            throw bad(
                    "'" + job + "' is taken for a notebook that runs, and found " + String.join(", ", chosen),
                    "leave the number out for a new one; with one: " + String.join(", ", OF_A_LINK));
        }
    }

    private String submit(HeadClient head) {
        if (options.array != null || (options.nodes != null && options.nodes != 1)) {
            throw bad("a notebook is one job of one node", "leave --array and --nodes out");
        }
        var submitted =
                HeadClient.read(head.post("/jobs", surroundings.submissionKey(), submission()), Submitted.class);
        tell("job " + submitted.id() + " is a notebook");
        return submitted.id();
    }

    private JobSubmission submission() {
        var asked = new JobOptions();
        asked.name = KIND;
        asked.sync = "60s";
        // A Jupyter that begins anew has lost what its kernels knew.
        asked.requeue = false;
        String folder = KIND;
        String out = folder + "=" + KIND + "-%j";
        if (dir != null) {
            var whole = Path.of(Submission.absolute(dir, surroundings.here()));
            var name = whole.getFileName();
            if (name == null || !Files.isDirectory(whole)) {
                throw bad("--dir: '" + dir + "' is no folder with a name", "name an existing folder");
            }
            folder = name.toString();
            asked.inputs = List.of(escaped(whole.toString()));
            out = escaped(folder) + "/=" + whole;
        }
        asked.outputs = List.of(out);
        return asked.under(options)
                .submission(
                        new JobOptions.Program(
                                NotebookScript.text(), KIND, List.of(folder, Long.toString(idle().toSeconds()), setup)),
                        surroundings);
    }

    /** A path as a glob that matches nothing else. */
    private String escaped(String path) {
        if (path.indexOf('=') >= 0) {
            throw bad("--dir: '" + dir + "' has an equals sign in its path", "name another folder");
        }
        return path.replaceAll("([*?\\[\\]{}\\\\])", "\\\\$1");
    }

    private Duration idle() {
        try {
            var time = Quantities.duration(idle);
            if (time.compareTo(SHORTEST_IDLE) >= 0 && time.compareTo(LONGEST_IDLE) <= 0) {
                return time;
            }
        } catch (IllegalArgumentException malformed) {
            throw bad("--idle: " + malformed.getMessage(), "");
        }
        throw bad("--idle: found '" + idle + "'", "allowed: 1m to 7d");
    }

    /** @return false when it ended before */
    private boolean waitForStart(HeadClient head, String id) throws InterruptedException {
        var waiting = new JobWait(head, err());
        return waiting.until(() -> {
            var detail = head.get("/jobs/" + id, JobDetail.class);
            waiting.progress(Progress.of(detail));
            if (detail.job().state() != JobState.RUNNING && !isOver(detail.job())) {
                return null;
            }
            waiting.end();
            return detail.job().state() == JobState.RUNNING;
        });
    }

    private static boolean isOver(JobView job) {
        return job.state().isTerminal() || job.state() == JobState.STAGING_OUT;
    }

    /** Until it has ended. A session that was lost, as by a machine that slept for a night, is begun anew at the same port. */
    private void serve(HeadClient head, String id) throws InterruptedException {
        while (true) {
            var one = new NotebookLine(JobShell.wire(head, id, 0));
            line.set(one);
            try {
                new JobShell(head, err()).wait(one.session());
                var exit = one.carry(port, (link, at) -> opened(head, id, link, at), this::tell);
                line.set(null);
                if (exit.code() == NO_NOTEBOOK && isRunning(head, id)) {
                    throw bad("job " + id + " is no notebook", "'spillway ssh " + id + "' opens a shell there");
                }
                if (!one.why().isEmpty()) {
                    tell(one.why());
                }
            } catch (SessionFault lost) {
                tell("the line was lost: " + lost.getMessage());
            } catch (CliFailure refused) {
                if (staysRunning(head, id)) {
                    throw refused;
                }
            } catch (IOException taken) {
                throw new CliFailure(
                        CliFailure.FAILED,
                        "cannot listen on 127.0.0.1:" + port + ": " + taken.getMessage(),
                        "'spillway notebook --port 0 " + id + "' takes any port that is free");
            }
            line.set(null);
            if (!isRunning(head, id)) {
                return;
            }
            Thread.sleep(AGAIN_MILLIS);
        }
    }

    /** A node knows a moment before the head that a job has ended there. */
    private boolean staysRunning(HeadClient head, String id) throws InterruptedException {
        for (int look = 0; look < LOOKS; look++) {
            if (!isRunning(head, id)) {
                return false;
            }
            Thread.sleep(AGAIN_MILLIS);
        }
        return true;
    }

    private boolean isRunning(HeadClient head, String id) throws InterruptedException {
        return new JobWait(head, err())
                .until(() -> head.get("/jobs/" + id, JobDetail.class).job().state() == JobState.RUNNING);
    }

    private void opened(HeadClient head, String id, NotebookLine.Link link, int at) {
        // A job that began anew has another token.
        if (link.token().equals(token)) {
            tell("the line is there again");
            return;
        }
        token = link.token();
        port = at;
        var detail = head.get("/jobs/" + id, JobDetail.class);
        out().println("http://127.0.0.1:" + at + "/?token=" + link.token());
        out().flush();
        if (System.getenv("SSH_CONNECTION") != null) {
            tell("for a browser elsewhere, there first: ssh -N -L " + at + ":127.0.0.1:" + at + " " + machine());
        }
        tell(price(head, detail.job()) + "it ends when nobody has used it for " + text(link.idle())
                + "; Ctrl-C leaves it, 'spillway notebook " + id + "' opens it again, 'spillway cancel " + id
                + "' ends it");
    }

    private static String text(Duration idle) {
        long seconds = idle.toSeconds();
        return seconds % 3600 == 0 ? seconds / 3600 + " h" : seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getCanonicalHostName();
        } catch (IOException unknown) {
            return "THIS-MACHINE";
        }
    }

    /** The price of its node; empty where the head does not say. */
    private static String price(HeadClient head, JobView of) {
        try {
            return head.list("/nodes", "nodes", NodeView.class).stream()
                    .filter(node -> of.nodes().contains(node.id()))
                    .findFirst()
                    .map(node -> "node " + node.id() + " costs " + node.pricePerHour() + " an hour; ")
                    .orElse("");
        } catch (CliFailure unknown) {
            return "";
        }
    }

    private void leave(String id) {
        var open = line.get();
        if (open != null) {
            open.session().leave();
        }
        tell("job " + id + " goes on: 'spillway notebook " + id + "' opens it again, 'spillway cancel " + id
                + "' ends it");
    }

    private int end(HeadClient head, String id, boolean begun) throws InterruptedException {
        var ended = new JobWait(head, err()).untilEnd(id);
        if (ended.state() == JobState.DONE) {
            var detail = head.get("/jobs/" + id, JobDetail.class);
            detail.outputs().stream()
                    .filter(output ->
                            !Set.of(Submission.STDOUT, Submission.STDERR).contains(output.pattern()))
                    .forEach(output -> tell("its files are in " + output.destination()));
        } else if (begun && job.isEmpty()) {
            try {
                new JobLog(head, id, "stderr", 0, surroundings::needOwnProcess, err(), err()).show();
            } catch (CliFailure unread) {
                Commands.tell(unread, err());
            }
        }
        return JobWait.exitCode(ended);
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            return; // it runs
        }
    }

    private void tell(String text) {
        err().println("spillway: " + text);
        err().flush();
    }

    private static CliFailure bad(String message, String hint) {
        return new CliFailure(CliFailure.BAD_INPUT, message, hint);
    }
}
