package org.spillway.head.workload.slurm;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** What a job asks for and the head does not look at when it buys: a node would come that the job cannot use. Pure. */
final class Unsupported {
    /** One feature, or several that a node must have all. */
    private static final Pattern ALL_OF = Pattern.compile("[A-Za-z0-9._-]+(?:[&,][A-Za-z0-9._-]+)*");

    private Unsupported() {}

    /**
     * Why no node is bought for it; empty when there is nothing against it.
     *
     * @param features by partition: those that all its declared nodes have
     */
    static Optional<String> of(SlurmJob row, Map<String, Set<String>> features) {
        if (!row.requiredNodes().isEmpty()) {
            return Optional.of(sentence("--nodelist"));
        }
        if (row.exclusive()) {
            return Optional.of(sentence("--exclusive"));
        }
        if (!row.licences().isEmpty()) {
            return Optional.of(sentence("--licenses"));
        }
        return hasAll(row.features(), row.partitions(), features)
                ? Optional.empty()
                : Optional.of("--constraint is supported on cloud partitions only for what all nodes of the partition"
                        + " have: name a partition of one site");
    }

    private static String sentence(String option) {
        return option + " is not supported on cloud partitions yet";
    }

    private static boolean hasAll(String wanted, List<String> partitions, Map<String, Set<String>> features) {
        return wanted.isEmpty()
                || (ALL_OF.matcher(wanted).matches()
                        && partitions.stream()
                                .allMatch(partition -> features.getOrDefault(partition, Set.of())
                                        .containsAll(Arrays.asList(wanted.split("[&,]")))));
    }
}
