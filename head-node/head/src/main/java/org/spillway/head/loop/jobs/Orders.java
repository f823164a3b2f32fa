package org.spillway.head.loop.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobSubmission;
import org.spillway.director.wire.JobOrder;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Reclaimed;
import org.spillway.policy.Resources;
import org.spillway.stage.Checksum;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.tree.Glob;

/** A director's orders for a job, and the keys under which its data lies in the staging space. */
public final class Orders {
    public static final String STDOUT = JobSubmission.Output.STDOUT;
    public static final String STDERR = JobSubmission.Output.STDERR;

    /** The most that the orders of one site may weigh, with room for all else in a directive. */
    public static final long MOST_WEIGHT = 5L * 1024 * 1024;

    private Orders() {}

    public static String inputKey(String job) {
        return PieceStore.inputKey(job);
    }

    public static String outputKey(String job, int attempt, int rank) {
        return "jobs/" + job + "/" + attempt + "/out/" + rank;
    }

    /** Of a round of outputs of a job that runs; the director puts it there. */
    public static String syncKey(String job, int attempt, int rank, int round) {
        return "jobs/" + job + "/" + attempt + "/sync/" + rank + "/" + round;
    }

    /**
     * An order for each node of the job, in the order of their ranks: a gang's orders are only sent complete.
     *
     * @param addresses of these nodes
     * @param overdue it should have ended before
     */
    public static List<JobOrder> of(JobRecord job, List<String> addresses, boolean overdue) {
        List<JobOrder> orders = new ArrayList<>();
        List<JobRun.Rank> ranks = job.run().ranks();
        for (int rank = 0; rank < ranks.size(); rank++) {
            orders.add(of(job, rank, ranks.get(rank), addresses, overdue));
        }
        return orders;
    }

    /**
     * About how many bytes a job's orders take in each directive, rather too many: all orders of a site travel in one,
     * and a director reads no more than 8 MiB ({@code WireJson.MAX_BYTES}).
     */
    public static long weight(JobSpec spec) {
        long bytes = 1000 + 2L * spec.program().script().length() + 24L * spec.nodes();
        for (String argument : spec.program().arguments()) {
            bytes += 10 + 2L * argument.length();
        }
        for (Map.Entry<String, String> variable : spec.program().environment().entrySet()) {
            bytes += 10 + variable.getKey().length() + 2L * variable.getValue().length();
        }
        for (JobSpec.Output output : spec.outputs()) {
            bytes += 50 + 8L * output.pattern().length();
        }
        return bytes * spec.nodes();
    }

    private static JobOrder of(JobRecord job, int rank, JobRun.Rank part, List<String> addresses, boolean overdue) {
        JobSpec spec = job.spec();
        List<JobOrder.Input> inputs = new ArrayList<>();
        JobRun.Staged staged = job.run().staged();
        Checksum bundle = staged == null ? null : staged.bundle();
        if (bundle != null) {
            inputs.add(new JobOrder.Input(inputKey(job.id()), bundle.bytes(), bundle.sha256()));
        }
        return new JobOrder(
                job.id(),
                job.run().attempt(),
                part.node(),
                rank,
                addresses,
                spec.user(),
                spec.uid(),
                spec.gid(),
                spec.program().script(),
                spec.program().arguments(),
                environment(spec),
                spec.walltime().toSeconds(),
                job.run().isStopping() || overdue,
                inputs,
                outputKey(job.id(), job.run().attempt(), rank),
                spec.outputs().stream()
                        .map(output -> Glob.parse(output.pattern()).posixRegex())
                        .toList(),
                foreign(job),
                share(spec),
                checkpoint(job, rank),
                sync(spec, part.synced()),
                spec.container().isEmpty() ? null : new JobOrder.Image(spec.container()));
    }

    /** The bundle that an earlier attempt left whose node was taken back. Another number of nodes could do nothing with it. */
    private static JobOrder.@Nullable Input checkpoint(JobRecord job, int rank) {
        Reclaimed earlier = job.run().reclaimed();
        if (earlier == null
                || earlier.left().size() != job.run().ranks().size()
                || earlier.attempt() == job.run().attempt()) {
            return null;
        }
        Checksum left = earlier.left().get(rank);
        return new JobOrder.Input(outputKey(job.id(), earlier.attempt(), rank), left.bytes(), left.sha256());
    }

    private static JobOrder.@Nullable Sync sync(JobSpec spec, JobRun.@Nullable Synced last) {
        int seconds = spec.data().syncSeconds();
        return seconds == 0
                ? null
                : new JobOrder.Sync(seconds, last == null ? 0 : last.round(), last != null && last.again());
    }

    /** A job that has its nodes for itself has all of them. */
    private static JobOrder.@Nullable Share share(JobSpec spec) {
        Resources each = spec.need().perNode();
        return spec.need().whole() ? null : new JobOrder.Share(each.cpus(), each.memoryBytes(), each.gpus());
    }

    private static JobOrder.@Nullable Foreign foreign(JobRecord job) {
        JobRun.Foreign known = job.run().foreign();
        return known == null
                ? null
                : new JobOrder.Foreign(
                        JobSpec.managerOf(job.spec().foreign()),
                        known.number(),
                        job.spec().data().folder());
    }

    private static Map<String, String> environment(JobSpec spec) {
        JobSpec.ArrayTask task = spec.array();
        Map<String, String> more = new TreeMap<>(spec.program().environment());
        if (task != null) {
            more.put("SPILLWAY_ARRAY_ID", task.id());
            more.put("SPILLWAY_ARRAY_INDEX", Integer.toString(task.index()));
        }
        if (spec.streams().adds()) {
            // For the node: jobs there may share the file.
            more.put("SPILLWAY_OPEN_MODE", "append");
        }
        return more;
    }
}
