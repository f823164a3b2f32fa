package org.spillway.slurm.manager;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.head.config.HeadConfig;

/** Which of Slurm's partitions are the head's: its queues by their names, and one for each site by the site's name. */
final class Partitions {
    private record Meaning(HeadConfig.Queue queue, List<String> sites) {}

    /** @param maxWalltime for jobs without a limit */
    record Place(String queue, List<String> sites, Duration maxWalltime) {}

    private final Map<String, Meaning> meanings = new LinkedHashMap<>();

    /** @param sites those that Slurm declares nodes for; others are not Slurm's business */
    Partitions(Collection<HeadConfig.Queue> queues, Set<String> sites) {
        for (HeadConfig.Queue queue : queues) {
            List<String> served = queue.sites().stream().filter(sites::contains).toList();
            if (!served.isEmpty()) {
                meanings.put(queue.name(), new Meaning(queue, served));
            }
        }
        for (HeadConfig.Queue queue : queues) {
            queue.sites().stream()
                    .filter(sites::contains)
                    .forEach(site -> meanings.putIfAbsent(site, new Meaning(queue, List.of(site))));
        }
    }

    /** Partitions of ours that exist. */
    List<String> among(Set<String> existing) {
        return meanings.keySet().stream().filter(existing::contains).toList();
    }

    boolean areOurs(List<String> partitions) {
        return meanings.keySet().containsAll(partitions);
    }

    /** Where a job may run; empty when none of its partitions is ours. */
    Optional<Place> place(List<String> partitions) {
        Set<String> sites = new LinkedHashSet<>();
        Meaning first = null;
        for (String partition : partitions) {
            Meaning meaning = meanings.get(partition);
            if (meaning != null) {
                first = first == null ? meaning : first;
                sites.addAll(meaning.sites);
            }
        }
        return first == null
                ? Optional.empty()
                : Optional.of(new Place(first.queue.name(), List.copyOf(sites), first.queue.maxWalltime()));
    }
}
