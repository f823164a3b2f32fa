package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.Orders;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.Transfer;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserFiles;
import org.spillway.stage.worker.UserWorkers;

/**
 * Staging between a user's files, which only a worker with that user's rights touches, and a site's staging space. A
 * cut-off copy goes on from the last byte that the other side holds; what arrived is verified there.
 */
public final class SiteStager implements Stager {
    private final DirectorLink link;
    private final UserWorkers workers;
    private final Function<JobSpec, List<Integer>> groups;

    /** @param groups supplementary groups of a job's user, as the head's name service knows them now */
    public SiteStager(DirectorLink link, UserWorkers workers, Function<JobSpec, List<Integer>> groups) {
        this.link = link;
        this.workers = workers;
        this.groups = groups;
    }

    private UserFiles as(JobSpec spec) throws FileRefused {
        return workers.as(new Identity(spec.user(), spec.uid(), spec.gid(), groups.apply(spec)));
    }

    @Override
    public @Nullable Checksum stageIn(DirectorTarget director, JobRecord job)
            throws FileRefused, IOException, LinkDownException {
        String input = job.spec().input();
        if (input == null) {
            return null;
        }
        UserFiles files = as(job.spec());
        Path file = Path.of(input);
        String key = Orders.inputKey(job.id());
        UserFiles.FileFacts before = files.stat(file);
        try (Transfer transfer = link.staging(director)) {
            if (transfer.isSealed(key)) {
                // Sealed by an earlier try whose answer was lost; the file may have changed since.
                transfer.remove(key);
            }
            long offset = Math.min(transfer.received(key), before.bytes());
            Checksum checksum =
                    Pump.run(sink -> files.read(file, offset, sink), bytes -> transfer.send(key, offset, bytes));
            if (!files.stat(file).equals(before)) {
                transfer.remove(key);
                throw new IOException(input + " changed while it was copied");
            }
            transfer.seal(key, checksum);
            return checksum;
        }
    }

    @Override
    public void bringHome(DirectorTarget director, JobRecord job) throws FileRefused, IOException, LinkDownException {
        UserFiles files = as(job.spec());
        try (Transfer transfer = link.staging(director)) {
            for (JobRun.Result result : job.run().results()) {
                Optional<Path> destination = destination(job, result);
                Checksum checksum = result.checksum();
                if (checksum != null && destination.isPresent()) {
                    bringHome(files, transfer, result, checksum, destination.get(), tag(job));
                }
            }
        }
    }

    private static void bringHome(
            UserFiles files, Transfer transfer, JobRun.Result result, Checksum checksum, Path target, String tag)
            throws IOException {
        long offset = Math.min(files.partBytes(target, tag), checksum.bytes());
        Pump.run(
                sink -> {
                    transfer.receive(result.key(), offset, new Bounded(sink, checksum.bytes() - offset));
                    return true;
                },
                bytes -> files.writePart(target, tag, offset, bytes));
        // Before anybody says that it is home: a loss of power must not find the only copy in a cache.
        files.settle(target, tag, checksum);
    }

    @Override
    public void publish(JobRecord job) throws FileRefused, IOException {
        UserFiles files = as(job.spec());
        for (JobRun.Result result : job.run().results()) {
            Optional<Path> destination = destination(job, result);
            Checksum checksum = result.checksum();
            if (checksum != null && destination.isPresent()) {
                files.publish(destination.get(), tag(job), checksum);
            }
        }
    }

    @Override
    public void clean(DirectorTarget director, String job) throws IOException, LinkDownException {
        try (Transfer transfer = link.staging(director)) {
            transfer.remove("jobs/" + job);
        }
    }

    /** Part files bear job and attempt, so that those of two attempts never mix. */
    private static String tag(JobRecord job) {
        return job.id() + "-" + job.run().attempt();
    }

    private static Optional<Path> destination(JobRecord job, JobRun.Result result) {
        return job.spec().outputs().stream()
                .filter(output -> output.path().equals(result.path()))
                .map(output -> Path.of(output.destination()))
                .findFirst();
    }
}
