package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.spillway.api.JobSubmission;
import org.spillway.api.ManySubmissions;
import org.spillway.api.ManySubmissions.KeyedSubmission;
import org.spillway.api.ManySubmissions.Mode;
import org.spillway.api.ManySubmitted;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;
import org.spillway.head.limits.QueueLimits;

/**
 * The memory that one user at the limits of the queue costs a head: as many jobs as they may have, each with a script of its
 * own, that together hold nearly as much text as they may.
 */
final class LimitsBench {
    private static final double TARGET_MIB = 64;
    private static final int IN_A_REQUEST = 500;
    private static final double MIB = 1 << 20;
    /** The last line of a class histogram, for which the JVM collects all garbage first. */
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");

    private final Path launcher;

    LimitsBench(Path launcher) {
        this.launcher = launcher;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            throw new IOException("there is no " + jcmd + ": a JDK is needed to look into the head's memory");
        }
        String configuration = HeadUnderTest.configuration()
                .replaceFirst("(?m)^submissions:.*\\R", "")
                .replace("limit: 1000.00", "limit: 0.01");
        try (var head = HeadUnderTest.start(launcher, configuration, state -> {})) {
            submit(head, 0, 1);
            double before = liveMebibytes(jcmd, head.pid());
            int jobs = QueueLimits.USUAL.jobsPerUser() - 1;
            for (int done = 0; done < jobs; done += IN_A_REQUEST) {
                submit(head, done + 1, Math.min(IN_A_REQUEST, jobs - done));
            }
            refuseOneMore(head);
            double after = liveMebibytes(jcmd, head.pid());
            String how = "live heap after a whole collection, " + (jobs + 1) + " jobs of one user that hold "
                    + (QueueLimits.USUAL.textBytesPerUser() >> 20) + " MiB in scripts";
            return List.of(
                    Figure.plain("limits.heap.without", before, "MiB", "live heap of a head with one job"),
                    Figure.plain("limits.heap.with", after, "MiB", how),
                    Figure.below(TARGET_MIB, "limits.heap.more", after - before, "MiB", "with less without"),
                    Figure.plain("limits.heap.ratio", after / before, "x", "with to without"));
        }
    }

    /** The limits are reached, or nothing was measured. */
    private static void refuseOneMore(HeadUnderTest head) throws IOException {
        try {
            head.submit("#!/bin/sh\ntrue\n");
        } catch (CliFailure refused) {
            return;
        }
        throw new IOException("one more job than the limits allow was taken");
    }

    private static void submit(HeadUnderTest head, int first, int count) throws IOException {
        List<KeyedSubmission> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            jobs.add(new KeyedSubmission("limits-" + (first + i), job(first + i)));
        }
        byte[] answer =
                head.client().post("/jobs/many", new ManySubmissions(Mode.ALL, ManySubmissions.Ahead.NONE, jobs));
        var refused = HeadClient.read(answer, ManySubmitted.class).answers().stream()
                .filter(ManySubmitted.SubmissionAnswer::isRefused)
                .findFirst();
        if (refused.isPresent()) {
            throw new IOException("a job within the limits was refused: " + refused.get());
        }
    }

    private static JobSubmission job(int number) {
        // A hundred bytes are for name and folder, and for what the head counts beside the text.
        long size = QueueLimits.USUAL.textBytesPerUser() / QueueLimits.USUAL.jobsPerUser() - 100;
        String script = "#!/bin/sh\n# " + number + "\n";
        return HeadUnderTest.job(script + "#".repeat((int) size - script.length()));
    }

    private static double liveMebibytes(Path jcmd, long pid) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return mebibytes(text);
    }

    /** @param histogram as jcmd prints it */
    static double mebibytes(String histogram) throws IOException {
        var total = TOTAL.matcher(histogram);
        if (!total.find()) {
            throw new IOException("the head's memory could not be looked at: "
                    + histogram.substring(0, Math.min(200, histogram.length())));
        }
        return Long.parseLong(total.group(1)) / MIB;
    }
}
