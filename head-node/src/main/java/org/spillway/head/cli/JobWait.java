package org.spillway.head.cli;

import java.io.PrintWriter;
import java.time.Duration;
import org.spillway.head.lifecycle.JobState;
import org.spillway.head.rest.JobDetail;
import org.spillway.head.rest.JobView;

/** Looks at a job until it has ended. */
final class JobWait {
    private static final long LOOK_MILLIS = 300;
    /** A head that is started again within this time is waited for: the job does not notice either. */
    private static final long AWAY_NANOS = Duration.ofMinutes(10).toNanos();

    private final HeadClient head;
    private final PrintWriter err;
    private final boolean terminal = Terminal.isStandardError();

    JobWait(HeadClient head, PrintWriter err) {
        this.head = head;
        this.err = err;
    }

    JobView untilEnd(String id) throws InterruptedException {
        long heardNanos = System.nanoTime();
        while (true) {
            try {
                var job = head.get("/jobs/" + id, JobDetail.class).job();
                heardNanos = System.nanoTime();
                progress(job.state() + (job.reason().isEmpty() ? "" : ": " + job.reason()));
                if (job.state().isTerminal()) {
                    end();
                    if (!terminal && job.state() != JobState.DONE) {
                        err.println("spillway: job " + id + " " + job.state() + ": "
                                + job.reason().replaceAll("\\p{Cntrl}", "?"));
                        err.flush();
                    }
                    return job;
                }
            } catch (CliFailure away) {
                if (away.exitCode() != CliFailure.NOT_REACHED || System.nanoTime() - heardNanos > AWAY_NANOS) {
                    end();
                    throw away;
                }
                progress("the head is away");
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** The script's own exit code; 1 where it has none or results did not come home. */
    static int exitCode(JobView job) {
        var code = job.exitCode();
        if (job.state() == JobState.DONE) {
            return code == null ? 0 : code;
        }
        return code == null || code == 0 ? CliFailure.FAILED : code;
    }

    private void progress(String text) {
        if (terminal) {
            err.print("\r\u001b[K" + text.replaceAll("\\p{Cntrl}", "?"));
            err.flush();
        }
    }

    private void end() {
        if (terminal) {
            err.println();
            err.flush();
        }
    }
}
