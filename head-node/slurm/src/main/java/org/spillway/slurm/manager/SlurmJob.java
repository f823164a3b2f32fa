package org.spillway.slurm.manager;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A job as {@code squeue} tells it: pending tasks of an array are one row, components of a heterogeneous job a row each.
 *
 * @param id of this row; arrays and heterogeneous jobs have others too
 * @param array id of the array, or the job's own
 * @param indices of the array's tasks in this row, as Slurm writes them, such as {@code 1-3,7}; empty for no array
 * @param tasks tasks of the array that wait in this row, 1 or more
 * @param throttle how many tasks of the array may run at once, if limited
 * @param component of a heterogeneous job, if it is one
 * @param partitions that it may run in, in the user's order
 * @param state Slurm's two letters, such as {@code PD} and {@code R}
 * @param reason Slurm's own words, which may be a sentence of a plugin
 * @param minNodes 1 or more
 * @param maxNodes as many as {@code minNodes} or more
 * @param processes tasks in the sense of {@code -n}
 * @param cpus of the whole job, at least
 * @param cpusPerTask 1 or more
 * @param memoryBytes per node or per CPU: squeue does not say which, see ADR 14
 * @param gresPerJob and its siblings: generic resources by what they are counted for
 * @param features Slurm's expression as it stands, such as {@code ib&zen4} or {@code [west|east]}; empty for none
 * @param licences such as {@code matlab:2}
 * @param dependency Slurm's expression as it stands; empty for none
 * @param limit walltime; empty for unlimited
 * @param account whatever the user typed: never part of a command or a file name
 * @param reservation that it asks for; empty for none
 * @param exclusive whether it wants whole nodes
 * @param requeue whether it may be run again
 * @param restarts how often it was run again
 * @param requiredNodes Slurm's host list; empty for none
 * @param start when it began or is estimated to begin
 * @param nodes Slurm's host list of what it has; empty while it waits
 */
public record SlurmJob(
        long id,
        long array,
        String indices,
        int tasks,
        Optional<Integer> throttle,
        Optional<Component> component,
        List<String> partitions,
        String state,
        String reason,
        int minNodes,
        int maxNodes,
        int processes,
        int cpus,
        int cpusPerTask,
        long memoryBytes,
        List<Gres> gresPerJob,
        List<Gres> gresPerNode,
        List<Gres> gresPerSocket,
        List<Gres> gresPerTask,
        String features,
        List<String> licences,
        String dependency,
        Optional<Duration> limit,
        long priority,
        String qos,
        String account,
        long uid,
        long gid,
        String reservation,
        boolean exclusive,
        boolean requeue,
        int restarts,
        String requiredNodes,
        Instant submittedAt,
        Optional<Instant> eligibleAt,
        Optional<Instant> start,
        String staging,
        String nodes) {
    /** The columns that {@link #of} reads, as Slurm 22.05 calls them. */
    public static final List<String> FIELDS = List.of(
            "JobID",
            "ArrayJobID",
            "ArrayTaskID",
            "HetJobID",
            "HetJobOffset",
            "Partition",
            "StateCompact",
            "Reason",
            "NumNodes",
            "MaxNodes",
            "NumTasks",
            "NumCPUs",
            "cpus-per-task",
            "MinMemory",
            "tres-per-job",
            "tres-per-node",
            "tres-per-socket",
            "tres-per-task",
            "Feature",
            "Licenses",
            "Dependency",
            "TimeLimit",
            "PriorityLong",
            "QOS",
            "Account",
            "UserID",
            "GroupID",
            "Reservation",
            "OverSubscribe",
            "Requeue",
            "RestartCnt",
            "ReqNodes",
            "SubmitTime",
            "EligibleTime",
            "StartTime",
            "BurstBufferState",
            "NodeList");

    public SlurmJob {
        partitions = List.copyOf(partitions);
        gresPerJob = List.copyOf(gresPerJob);
        gresPerNode = List.copyOf(gresPerNode);
        gresPerSocket = List.copyOf(gresPerSocket);
        gresPerTask = List.copyOf(gresPerTask);
        licences = List.copyOf(licences);
    }

    /** A part of a heterogeneous job. */
    public record Component(long leader, int offset) {}

    public boolean isPending() {
        return state.equals("PD");
    }

    /** @throws UnreadableAnswer if a column of the row is not understood */
    static SlurmJob of(List<String> row, Dialect dialect) throws UnreadableAnswer {
        if (row.size() != FIELDS.size()) {
            throw new IllegalArgumentException("a row of a job has " + FIELDS.size() + " columns");
        }
        var columns = new Columns(row);
        try {
            return read(columns, dialect);
        } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
            throw new UnreadableAnswer(
                    "job " + row.getFirst() + ", " + FIELDS.get(columns.last()) + ": " + e.getMessage());
        }
    }

    private static SlurmJob read(Columns columns, Dialect dialect) {
        long id = columns.number();
        long array = columns.number();
        String indices = columns.text();
        Optional<Component> component = component(columns.text(), columns.text());
        List<String> partitions = columns.list();
        String state = columns.text();
        String reason = columns.text();
        int minNodes = Math.max(1, columns.smallNumber());
        int maxNodes = Math.max(minNodes, columns.smallNumber());
        return new SlurmJob(
                id,
                array,
                SlurmText.orEmpty(indices),
                SlurmText.arrayTasks(indices),
                SlurmText.arrayThrottle(indices),
                component,
                partitions,
                state,
                reason,
                minNodes,
                maxNodes,
                columns.smallNumber(),
                columns.smallNumber(),
                Math.max(1, columns.smallNumber()),
                SlurmText.bytes(columns.text()),
                Gres.list(columns.text()),
                Gres.list(columns.text()),
                Gres.list(columns.text()),
                Gres.list(columns.text()),
                columns.word(),
                columns.list(),
                columns.word(),
                SlurmText.limit(columns.text()),
                columns.number(),
                columns.word(),
                columns.word(),
                columns.number(),
                columns.number(),
                columns.word(),
                dialect.isExclusive(columns.text()),
                columns.text().equals("1"),
                columns.smallNumber(),
                columns.word(),
                SlurmText.time(columns.text()).orElse(Instant.EPOCH),
                SlurmText.time(columns.text()),
                SlurmText.time(columns.text()),
                columns.word(),
                columns.word());
    }

    private static Optional<Component> component(String leader, String offset) {
        return SlurmText.isNothing(leader) || leader.equals("0")
                ? Optional.empty()
                : Optional.of(new Component(Long.parseLong(leader), Integer.parseInt(offset)));
    }
}
