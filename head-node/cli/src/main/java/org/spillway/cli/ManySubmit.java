package org.spillway.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.spillway.api.JobSubmission;
import org.spillway.api.Json;
import org.spillway.api.ManySubmissions;
import org.spillway.api.ManySubmissions.Ahead;
import org.spillway.api.ManySubmissions.KeyedSubmission;
import org.spillway.api.ManySubmissions.Mode;
import org.spillway.api.ManySubmitted;

/**
 * Submits the lines of a file, as many in a request as one may hold; the head writes those of one request at once. The key
 * of a line is that of the file with the line's number behind it, so that the whole may be repeated.
 */
final class ManySubmit {
    /** Below the 2 MiB that the head takes: the frame around them is small. */
    private static final int MOST_BYTES = 2 * 1024 * 1024 - 1024;

    /** The head keeps less of one user. */
    private static final long MOST_BYTES_IN_ALL = 128L * 1024 * 1024;

    private final HeadClient head;
    private final List<Batch> batches;
    private final SortedMap<Integer, String> ids = new TreeMap<>();
    private final SortedMap<Integer, ManyLines.Mistake> mistakes = new TreeMap<>();

    /** Lines of one request. @param jobs what each of them is @param json their list, as it is sent */
    private record Batch(List<Integer> lines, List<JobSubmission> jobs, byte[] json) {}

    /** @throws CliFailure if they are too large together */
    ManySubmit(HeadClient head, ManyLines lines, String key) {
        this.head = head;
        this.batches = batches(lines.jobs(), key);
        lines.mistakes().forEach(mistake -> mistakes.put(mistake.line(), mistake));
    }

    /** Ids of the jobs and arrays that were submitted, by line. */
    SortedMap<Integer, String> ids() {
        return ids;
    }

    /** Lines that are refused. */
    SortedMap<Integer, ManyLines.Mistake> mistakes() {
        return mistakes;
    }

    /** Finds the mistakes of all lines; submits nothing. @param progress is told how many lines have been checked */
    void check(IntConsumer progress) {
        int done = 0;
        var ahead = Ahead.NONE;
        for (var batch : batches) {
            send(Mode.CHECK, ahead, batch);
            for (int i = 0; i < batch.lines.size(); i++) {
                // A line that was submitted before is among the user's jobs already, and one that is refused is not
                // sent.
                int line = batch.lines.get(i);
                boolean adds = !ids.containsKey(line) && !mistakes.containsKey(line);
                ahead = adds ? ahead.and(batch.jobs.get(i)) : ahead;
            }
            done += batch.lines.size();
            progress.accept(done);
        }
        ids.clear();
    }

    /** Whether all lines go in one request, which the head takes as a whole or not at all. */
    boolean isOneRequest() {
        return batches.size() == 1;
    }

    /**
     * Submits request by request, and no further than the first with a mistake unless each line is for itself.
     *
     * @param progress is told how many lines are durable
     * @throws CliFailure when the head does not answer; {@link #ids} says what was submitted until then
     */
    void submit(Mode mode, IntConsumer progress) {
        for (var batch : batches) {
            send(mode, Ahead.NONE, batch);
            if (mode == Mode.ALL && !mistakes.isEmpty()) {
                return;
            }
            progress.accept(ids.size());
        }
    }

    private void send(Mode mode, Ahead ahead, Batch batch) {
        var answers = HeadClient.read(head.postJson("/jobs/many", framed(mode, ahead, batch)), ManySubmitted.class)
                .answers();
        if (answers.size() != batch.lines.size()) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "the head has not answered for every line",
                    "use the command of its own version");
        }
        for (int i = 0; i < answers.size(); i++) {
            int line = batch.lines.get(i);
            var answer = answers.get(i);
            if (answer.isRefused()) {
                mistakes.put(line, new ManyLines.Mistake(line, answer.code(), answer.message(), answer.hint()));
            } else if (!answer.id().isEmpty()) {
                ids.put(line, answer.id());
            }
        }
    }

    private static byte[] framed(Mode mode, Ahead ahead, Batch batch) {
        var body = new ByteArrayOutputStream(batch.json.length + 256);
        // With no submission in it: those follow.
        var frame = Json.write(new ManySubmissions(mode, ahead, List.of()));
        body.writeBytes(frame.substring(0, frame.lastIndexOf("[]")).getBytes(StandardCharsets.UTF_8));
        body.writeBytes(batch.json);
        body.write('}');
        return body.toByteArray();
    }

    private static List<Batch> batches(List<ManyLines.Job> jobs, String key) {
        var batches = new ArrayList<Batch>();
        int count = 0;
        var lines = new ArrayList<Integer>();
        var these = new ArrayList<JobSubmission>();
        var json = new ByteArrayOutputStream();
        long inAll = 0;
        for (var job : jobs) {
            var one = Json.bytes(new KeyedSubmission(key + ":" + job.line(), job.submission()));
            int tasks = job.submission().array().size();
            boolean full = count + tasks > ManySubmissions.MOST || json.size() + one.length + 2 > MOST_BYTES;
            if (!lines.isEmpty() && full) {
                batches.add(batch(lines, these, json));
                count = 0;
                lines.clear();
                these.clear();
                json.reset();
            }
            json.write(lines.isEmpty() ? '[' : ',');
            json.writeBytes(one);
            lines.add(job.line());
            these.add(job.submission());
            count += tasks;
            inAll += one.length;
            if (inAll > MOST_BYTES_IN_ALL) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        "up to line " + job.line() + " the submissions are larger than 128 MiB together",
                        "submit fewer at a time, or put what is large into an input file (--in)");
            }
        }
        if (!lines.isEmpty()) {
            batches.add(batch(lines, these, json));
        }
        return batches;
    }

    private static Batch batch(List<Integer> lines, List<JobSubmission> jobs, ByteArrayOutputStream json) {
        json.write(']');
        return new Batch(List.copyOf(lines), List.copyOf(jobs), json.toByteArray());
    }
}
