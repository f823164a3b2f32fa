package org.spillway.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobView;

/** Looks at a job, or at the tasks of an array, until the end. On a terminal one line says how far it is. */
final class JobWait {
    private static final long LOOK_MILLIS = 300;
    /** A head that is started again within this time is waited for: the job does not notice either. */
    private static final long AWAY_NANOS = Duration.ofMinutes(10).toNanos();

    private final HeadClient head;
    private final PrintWriter err;
    private final boolean terminal;

    JobWait(HeadClient head, PrintWriter err) {
        this(head, err, Terminal.isStandardError());
    }

    JobWait(HeadClient head, PrintWriter err, boolean terminal) {
        this.head = head;
        this.err = err;
        this.terminal = terminal;
    }

    JobView untilEnd(String id) throws InterruptedException {
        return until(() -> {
            var detail = head.get("/jobs/" + id, JobDetail.class);
            progress(Progress.of(detail));
            if (!detail.job().state().isTerminal()) {
                return null;
            }
            end();
            failed(detail.job());
            return detail.job();
        });
    }

    /** @return 0 when all its tasks are DONE, else what the first that failed says */
    int exitCodeOfArray(String id) throws InterruptedException {
        return until(() -> {
            var tasks = head.list("/arrays/" + id, "jobs", JobView.class);
            progress(Progress.of(tasks));
            if (!tasks.stream().allMatch(task -> task.state().isTerminal())) {
                return null;
            }
            end();
            tasks.forEach(this::failed);
            return exitCode(tasks);
        });
    }

    /** @param look null while there is more to come */
    <T> T until(Supplier<@Nullable T> look) throws InterruptedException {
        long heardNanos = System.nanoTime();
        while (true) {
            try {
                T end = look.get();
                if (end != null) {
                    return end;
                }
                heardNanos = System.nanoTime();
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
            return Objects.requireNonNullElse(code, 0);
        }
        return code == null || code == 0 ? CliFailure.FAILED : code;
    }

    private static int exitCode(List<JobView> tasks) {
        return tasks.stream()
                .mapToInt(JobWait::exitCode)
                .filter(code -> code != 0)
                .findFirst()
                .orElse(0);
    }

    private void failed(JobView job) {
        if (job.state() != JobState.DONE) {
            err.println("spillway: job " + job.id() + " " + job.state() + ": "
                    + job.reason().replaceAll("\\p{Cntrl}", "?"));
            err.flush();
        }
    }

    void progress(String text) {
        if (terminal) {
            err.print("\r\u001b[K" + text);
            err.flush();
        }
    }

    /** An ended job is told in full, and not twice. */
    void end() {
        progress("");
    }
}
