package org.spillway.slurm.manager;

import java.time.DateTimeException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A node as {@code sinfo -N} tells it: one row for each of its partitions, put together here.
 *
 * @param flags lower-case words such as {@code idle}, {@code cloud}, {@code powered_down}, {@code powering_up}, {@code
 *     drain}, {@code not_responding}
 * @param cpus declared
 * @param memoryBytes declared
 * @param allocatedMemoryBytes of running jobs
 * @param allocatedCpus of running jobs
 * @param gres declared, by model
 * @param partitions that it is in, without the mark of the default one
 * @param shut those of them whose jobs are given no nodes
 * @param address where slurmctld looks for it
 * @param reason why it is drained or down; empty for none
 */
public record SlurmNode(
        String name,
        Set<String> flags,
        int cpus,
        long memoryBytes,
        long allocatedMemoryBytes,
        int allocatedCpus,
        List<Gres> gres,
        Set<String> features,
        Set<String> partitions,
        Set<String> shut,
        String address,
        String reason) {
    private static final Set<String> BUSY = Set.of("allocated", "mixed", "completing", "comp");
    private static final Set<String> UNSETTLED = Set.of(
            "power_up", "powering_up", "power_down", "powering_down", "drain", "down", "fail", "future", "reboot");

    /** The fields to ask sinfo for, in the order that {@link #of} reads. */
    public static final List<String> FIELDS = List.of(
            "NodeList",
            "StateComplete",
            "CPUs",
            "Memory",
            "AllocMem",
            "CPUsState",
            "Gres",
            "GresUsed",
            "Features",
            "Partition",
            "Available",
            "NodeAddr",
            "Reason");

    public SlurmNode {
        flags = Set.copyOf(flags);
        gres = List.copyOf(gres);
        features = Set.copyOf(features);
        partitions = Set.copyOf(partitions);
        shut = Set.copyOf(shut);
    }

    /** Whether jobs could be given to it now: it has registered, and nobody drains it. Its reservation is not looked at. */
    public boolean isUp() {
        return flags.stream()
                .noneMatch(Set.of(
                        "powered_down",
                        "powering_down",
                        "power_down",
                        "powering_up",
                        "power_up",
                        "down",
                        "drain",
                        "drained",
                        "draining",
                        "fail",
                        "not_responding",
                        "unknown",
                        "future",
                        "reboot",
                        "rebooting",
                        "invalid_reg")::contains);
    }

    public boolean isPoweredDown() {
        return flags.contains("powered_down");
    }

    /** Whether a node may take its place. */
    boolean isFree() {
        return isPoweredDown() && flags.stream().noneMatch(UNSETTLED::contains);
    }

    boolean isOff() {
        return isPoweredDown() && !isGoingOff();
    }

    boolean isGoingOff() {
        return flags.contains("power_down") || flags.contains("powering_down");
    }

    boolean isDrained() {
        return flags.contains("drain") || flags.contains("drained") || flags.contains("draining");
    }

    /** Whether the head has said why it is as it is: Slurm keeps no other mark of who drained a node. */
    boolean isOurs() {
        return reason.startsWith(SlurmOrder.OURS.strip());
    }

    /** Whether something of Slurm's is on it. */
    boolean isBusy() {
        return allocatedCpus > 0 || flags.stream().anyMatch(BUSY::contains);
    }

    /** @throws UnreadableAnswer if a column of the row is not understood */
    static SlurmNode of(List<String> row) throws UnreadableAnswer {
        if (row.size() != FIELDS.size()) {
            throw new IllegalArgumentException("a row of a node has " + FIELDS.size() + " columns");
        }
        var columns = new Columns(row);
        try {
            return read(columns);
        } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
            throw new UnreadableAnswer(
                    "node " + row.getFirst() + ", " + FIELDS.get(columns.last()) + ": " + e.getMessage());
        }
    }

    private static SlurmNode read(Columns columns) {
        String name = columns.text();
        Set<String> flags = flags(columns.text());
        int cpus = columns.smallNumber();
        long memoryBytes = SlurmText.bytes(columns.text());
        long allocatedMemoryBytes = SlurmText.bytes(columns.text());
        int allocatedCpus = Integer.parseInt(columns.text().split("/", 2)[0]);
        List<Gres> gres = Gres.list(columns.text());
        columns.text();
        Set<String> features = new TreeSet<>(columns.list());
        String marked = columns.text();
        String partition = marked.endsWith("*") ? marked.substring(0, marked.length() - 1) : marked;
        boolean up = columns.text().equals("up");
        return new SlurmNode(
                name,
                flags,
                cpus,
                memoryBytes,
                allocatedMemoryBytes,
                allocatedCpus,
                gres,
                features,
                Set.of(partition),
                up ? Set.of() : Set.of(partition),
                columns.text(),
                columns.word());
    }

    /** The same node, in the partitions of both rows. */
    SlurmNode with(SlurmNode other) {
        return new SlurmNode(
                name,
                flags,
                cpus,
                memoryBytes,
                allocatedMemoryBytes,
                allocatedCpus,
                gres,
                features,
                both(partitions, other.partitions),
                both(shut, other.shut),
                address,
                reason);
    }

    private static Set<String> both(Set<String> some, Set<String> others) {
        return Stream.of(some, others).flatMap(Set::stream).collect(Collectors.toSet());
    }

    private static Set<String> flags(String state) {
        return Arrays.stream(state.toLowerCase(Locale.ROOT).split("\\+"))
                // A star is Slurm's older way to say that the node does not answer.
                .flatMap(flag -> flag.endsWith("*")
                        ? Stream.of(flag.substring(0, flag.length() - 1), "not_responding")
                        : Stream.of(flag))
                .filter(flag -> !flag.isEmpty())
                .collect(Collectors.toSet());
    }
}
