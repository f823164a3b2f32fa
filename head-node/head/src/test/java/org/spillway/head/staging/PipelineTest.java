package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.LocalTransfer;

/** Three jobs of which each has the outputs of the one before it as its input: what crosses the link, each way. */
final class PipelineTest extends SiteStagerScene {
    private static final int JOBS = 3;
    /** Names, times and digests of a few files, and what a tar pads. */
    private static final long AROUND = 20_000;

    private final AtomicLong passed = new AtomicLong();
    private final Random random = new Random(18);

    /** A job's folder at home, with that of the one before it as its input. */
    private JobRecord job(int number) throws IOException {
        JobRecord job = job(
                List.of(new JobSpec.Input(folder(number - 1).toString(), "")),
                List.of(new JobSpec.Output("made", folder(number).toString(), true, true)),
                1);
        JobRecord named = named(Integer.toString(number), job);
        return named.with(named.run().startedOn(List.of("node-0"), 0));
    }

    private Path folder(int number) {
        return home.resolve("step-" + number);
    }

    private long noise(Path folder) throws IOException {
        long bytes = 0;
        for (int i = 0; i < 20; i++) {
            byte[] noise = new byte[30_000 + 1000 * random.nextInt(30)];
            random.nextBytes(noise);
            Files.createDirectories(folder);
            Files.write(folder.resolve("f" + i), noise);
            bytes += noise.length;
        }
        return bytes;
    }

    /** Outputs, as a node leaves them in the region. */
    private JobRecord ended(JobRecord job, Path outputs) throws Exception {
        Process tar = new ProcessBuilder("tar", "-C", outputs.toString(), "-chf", "-", ".").start();
        ByteArrayOutputStream bundle = new ByteArrayOutputStream();
        tar.getInputStream().transferTo(bundle);
        assertThat(tar.waitFor()).isZero();
        Checksum checksum = checksum(bundle.toByteArray());
        try (LocalTransfer transfer = new LocalTransfer(staging)) {
            String key = Orders.outputKey(job.id(), job.run().attempt(), 0);
            transfer.send(key, 0, new ByteArrayInputStream(bundle.toByteArray()));
            transfer.seal(key, checksum);
        }
        return job.with(job.run()
                .ended("node-0", JobRun.End.of(Instant.EPOCH, Instant.EPOCH, 0, Cause.NONE, true, "store", checksum)));
    }

    /**
     * Only the first input goes out, and every output comes home once: users find what each job has made, and may look at it
     * before the next one has begun.
     */
    @Test
    void onlyTheFirstInputGoesOutAndEachOutputComesHomeOnce() throws Exception {
        long first = noise(folder(0));
        long outputs = 0;
        long there = 0;
        passing = (bytes, from, length) -> passed.addAndGet(length);
        for (int number = 1; number <= JOBS; number++) {
            JobRecord job = job(number);
            there += stager.stageIn(EAST, job, "s", null, moved::add).sentBytes();
            Path out = Files.createTempDirectory(temporary, "node");
            outputs += noise(out.resolve("made"));
            JobRecord ended = ended(job, out);
            followed = number < JOBS;
            stager.bringHome(EAST, ended, moved::add);
            stager.publish(ended);
            assertThat(tree(folder(number))).isEqualTo(tree(out.resolve("made")));
            stager.forget(ended);
        }
        long back = passed.get() - there;
        System.out.printf(
                "a pipeline of %d jobs: %d bytes out for a first input of %d, %d home for outputs of %d%n",
                JOBS, there, first, back, outputs);
        assertThat(there).isBetween(first, first + AROUND);
        assertThat(back).isBetween(outputs, outputs + JOBS * AROUND + outputs / 10);
    }
}
