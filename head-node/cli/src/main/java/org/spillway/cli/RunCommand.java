package org.spillway.cli;

import java.util.ArrayList;
import java.util.List;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.Submitted;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "run",
        customSynopsis = "spillway run [OPTION...] [--pty] COMMAND [ARGUMENT...]",
        description = {
            "Runs a command as a job of one node, and gives it this terminal (--pty), or standard input, output and error"
                    + " as they are. Options are those of 'spillway submit'. It waits until the job has its node, and says why;"
                    + " Ctrl-C meanwhile cancels it.",
            "The command's end is the job's end. Exits with the command's exit code; 255 when the session was lost. A line"
                    + " that is cut for a while ends nothing."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway run --gpus 1 --time 2h --pty bash",
            "  spillway run --cluster demo1 --pty bash",
            "  spillway run --mem 4GiB --in data.csv sort data.csv >sorted.csv"
        })
final class RunCommand extends SessionCommand {
    /** Until somebody came to a job that has begun, in seconds. */
    private static final String NOBODY_CAME = "600";

    /** The job itself: ends with what runs in its session, which holds the lock. An image may have no flock. */
    private static final String WAITS = """
            #!/bin/sh
            # Made by 'spillway run': waits for its terminal, and ends with the command that runs there.
            place=.spillway/terminal
            left=$1
            until [ -s "$place.begun" ]; do
              [ "$left" -gt 0 ] || { echo "nobody came to its terminal within $1 s" >&2 && exit 129; }
              sleep 1
              left=$((left - 1))
            done
            if command -v flock >/dev/null; then
              flock "$place.lock" true
            else
              read -r pid <"$place.begun"
              while kill -0 "$pid" 2>/dev/null; do sleep 1; done
            fi
            read -r code <"$place.code" || { echo 'its terminal has gone' >&2 && exit 129; }
            exit "$code"
            """;

    /** Around the command: says how it ended before the lock is free. */
    private static final String WRAPS = """
            place=.spillway/terminal
            exec 9>"$place.lock" && { ! command -v flock >/dev/null || flock 9; } || exit 125
            echo "$$" >"$place.begun"
            trap : HUP INT QUIT TERM
            "$@" 9>&-
            code=$?
            echo "$code" >"$place.code"
            exit "$code"
            """;

    @Mixin
    JobOptions options = new JobOptions();

    @Option(names = "--pty", description = "Give it this terminal.")
    boolean pty;

    @Parameters(index = "0..*", arity = "1..*", paramLabel = "COMMAND", description = "What runs, and its arguments.")
    List<String> words = List.of();

    @Override
    public Integer call() throws InterruptedException {
        surroundings.needOwnProcess();
        if (options.array != null || (options.nodes != null && options.nodes != 1)) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "a command with this terminal is one job of one node",
                    "leave --array and --nodes out; 'spillway submit' has both, and 'spillway ssh' enters each node");
        }
        if (pty && !Terminal.isStandardInput()) {
            throw new CliFailure(CliFailure.BAD_INPUT, "--pty: standard input is no terminal", "leave --pty out");
        }
        var head = head();
        var submitted =
                HeadClient.read(head.post("/jobs", surroundings.submissionKey(), submission()), Submitted.class);
        String id = submitted.id();
        err().println("spillway: job " + id);
        err().flush();
        var cancels = new Thread(() -> head.findPost("/jobs/" + id + "/cancel"));
        Runtime.getRuntime().addShutdownHook(cancels);
        int code = wait(head, id);
        Runtime.getRuntime().removeShutdownHook(cancels);
        if (code != 0) {
            return code;
        }
        code = new JobShell(head, err()).run(id, 0, pty, wrapped());
        if (code == JobShell.LOST) {
            head.findPost("/jobs/" + id + "/cancel");
        } else if (!options.outputs.isEmpty()) {
            new JobWait(head, err()).untilEnd(id);
        }
        return code;
    }

    private JobSubmission submission() {
        var asked = new JobOptions();
        asked.name = words.getFirst().replaceAll(".*/", "");
        asked.stdout = "/dev/null";
        asked.stderr = "/dev/null";
        // A terminal does not come back.
        asked.requeue = false;
        return asked.under(options)
                .submission(new JobOptions.Program(WAITS, "run", List.of(NOBODY_CAME)), surroundings);
    }

    private List<String> wrapped() {
        var all = new ArrayList<>(List.of("/bin/sh", "-c", WRAPS, "run"));
        all.addAll(words);
        return all;
    }

    /** @return 0 when it runs, else the exit code of a job that ended before */
    private int wait(HeadClient head, String id) throws InterruptedException {
        var waiting = new JobWait(head, err());
        return waiting.until(() -> {
            var detail = head.get("/jobs/" + id, JobDetail.class);
            waiting.progress(Progress.of(detail));
            var job = detail.job();
            if (job.state() != JobState.RUNNING && !job.state().isTerminal()) {
                return null;
            }
            waiting.end();
            if (job.state() == JobState.RUNNING) {
                return 0;
            }
            err().println("spillway: job " + id + " " + job.state() + ": "
                    + job.reason().replaceAll("\\p{Cntrl}", "?"));
            err().flush();
            return Math.max(CliFailure.FAILED, JobWait.exitCode(job));
        });
    }
}
