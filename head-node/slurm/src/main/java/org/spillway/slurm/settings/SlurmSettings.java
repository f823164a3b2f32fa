package org.spillway.slurm.settings;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.spillway.head.config.WorkloadSettings;

/**
 * A Slurm whose partitions are the queues of the same names.
 *
 * @param conf slurm.conf as this machine's commands read it
 * @param user the SlurmUser of that file: besides root the only one who may act for other users' jobs
 * @param controller {@code host:port} of slurmctld as nodes of the sites reach it
 * @param mungeSocket where that slurm.conf says that munged listens
 * @param mungeKey the cluster's key, of mode 600 or 400; nodes get it after their gate
 * @param nodes how many nodes Slurm declares of each instance type, 1 to 2000, by site, in the file's order
 * @param files of jobs on nodes
 * @param reasons what pending reasons mean here, by Slurm's word, where it is not what Spillway thinks
 */
public record SlurmSettings(
        Path conf,
        String user,
        String controller,
        Path mungeSocket,
        Path mungeKey,
        Map<String, Map<String, Integer>> nodes,
        JobFiles files,
        Map<String, PendingReason> reasons)
        implements WorkloadSettings {
    /** Word of {@code workload.manager}, section of {@code workload}, and first part of the keys of its jobs. */
    public static final String NAME = "slurm";

    public SlurmSettings {
        reasons = Map.copyOf(reasons);
        var copy = new LinkedHashMap<String, Map<String, Integer>>();
        nodes.forEach((site, types) -> copy.put(site, Collections.unmodifiableMap(new LinkedHashMap<>(types))));
        nodes = Collections.unmodifiableMap(copy);
    }

    @Override
    public String title() {
        return "Slurm";
    }

    @Override
    public String submitThere() {
        return "use sbatch; its #SPILLWAY lines say what to stage";
    }
}
