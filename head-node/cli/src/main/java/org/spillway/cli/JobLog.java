package org.spillway.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.spillway.api.JobDetail;
import org.spillway.api.JobView;
import org.spillway.api.LogView;

/**
 * A stream of a job. While it runs the head passes on what its director has; what came home is read here, by whoever
 * runs this command: the head opens no user's file for it.
 */
final class JobLog {
    private static final long LOOK_MILLIS = 1000;
    private static final long AWAY_NANOS = Duration.ofMinutes(10).toNanos();

    private final HeadClient head;
    private final String id;
    private final String stream;
    private final int rank;
    private final Runnable needOwnProcess;
    private final PrintWriter out;
    private final PrintWriter err;
    private int attempt;
    private long end;

    /** @param needOwnProcess asked before a file of the user is opened */
    JobLog(
            HeadClient head,
            String id,
            String stream,
            int rank,
            Runnable needOwnProcess,
            PrintWriter out,
            PrintWriter err) {
        this.head = head;
        this.id = id;
        this.stream = stream;
        this.rank = rank;
        this.needOwnProcess = needOwnProcess;
        this.out = out;
        this.err = err;
    }

    /** Shows the content there is now. */
    void show() {
        var detail = detail();
        var job = detail.job();
        if (job.state().isTerminal()) {
            atHome(detail);
        } else if (job.attempt() == 0) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "job " + id + " has not started: it is " + state(job),
                    "'spillway logs -f " + id + "' waits for it");
        } else {
            boolean more = true;
            while (more) {
                more = next();
            }
            if (end == 0) {
                note("nothing is here of what job " + id + " has written; it is " + state(job));
            }
        }
    }

    /** Until its end. A head or a director that is away for a while is waited for. */
    void follow() throws InterruptedException {
        long heardNanos = System.nanoTime();
        boolean told = false;
        while (true) {
            try {
                var detail = detail();
                heardNanos = System.nanoTime();
                if (detail.job().state().isTerminal()) {
                    atHome(detail);
                    return;
                }
                if (detail.job().attempt() == 0 && !told) {
                    told = true;
                    note("job " + id + " is " + state(detail.job()));
                }
                if (detail.job().attempt() > 0 && next()) {
                    continue;
                }
            } catch (CliFailure failure) {
                if (!failure.mayPass() || System.nanoTime() - heardNanos > AWAY_NANOS) {
                    throw failure;
                }
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private JobDetail detail() {
        return head.get("/jobs/" + id, JobDetail.class);
    }

    /** Prints the next piece. @return whether there was one */
    private boolean next() {
        var piece = piece(end);
        if (piece.attempt() != attempt) {
            if (attempt > 0) {
                note("attempt " + piece.attempt() + " of job " + id + " begins");
                piece = piece(0);
            }
            attempt = piece.attempt();
            end = 0;
        }
        if (piece.text().isEmpty()) {
            return false;
        }
        if (piece.from() > end) {
            note((piece.from() - end) + " bytes before this are not kept while it runs; all of it comes home");
        }
        out.print(piece.text());
        out.flush();
        end = piece.end();
        return true;
    }

    private LogView piece(long after) {
        return head.get("/jobs/" + id + "/log?stream=" + stream + "&rank=" + rank + "&after=" + after, LogView.class);
    }

    /** The file that came home, from where the last piece ended. */
    private void atHome(JobDetail detail) {
        var pattern = stream.equals("stdout") ? Submission.STDOUT : Submission.STDERR;
        var output = detail.outputs().stream()
                .filter(one -> one.pattern().equals(pattern))
                .findFirst()
                .orElseThrow(() -> new CliFailure(
                        CliFailure.FAILED,
                        "job " + id + " was submitted with --" + stream + " /dev/null",
                        "nothing of it is kept"));
        if (!output.state().equals("published")) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "nothing of job " + id + "'s " + stream + " came home: it is " + state(detail.job()),
                    "'spillway job " + id + "' shows what became of its outputs");
        }
        if (detail.job().attempt() != attempt) {
            end = 0;
        }
        print(Path.of(output.destination() + (rank > 0 ? "." + rank : "")));
    }

    private void print(Path file) {
        needOwnProcess.run();
        try (var bytes = FileChannel.open(file)) {
            if (!Files.isRegularFile(file)) {
                throw new IOException("it is not a file any more");
            }
            bytes.position(Math.min(end, bytes.size()));
            Channels.newReader(bytes, StandardCharsets.UTF_8).transferTo(out);
            out.flush();
        } catch (IOException gone) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "cannot read " + file + ", where it came home: " + gone.getMessage(),
                    "it may have been moved, or be another user's");
        }
    }

    private static String state(JobView job) {
        return (job.state() + (job.reason().isEmpty() ? "" : ": " + job.reason())).replaceAll("\\p{Cntrl}", "?");
    }

    private void note(String text) {
        err.println("spillway: " + text);
        err.flush();
    }
}
