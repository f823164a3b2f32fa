package org.spillway.slurm.conf;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.spillway.api.OfferingView;
import org.spillway.head.config.HeadConfig;
import org.spillway.slurm.conf.Setting.Rule;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.SlurmSettings;

/**
 * All that slurm.conf has to say for a head, but for what a site decides itself.
 *
 * @param files of jobs, for the look at scripts
 */
public record Wanted(List<Setting> settings, List<NodeGroup> nodes, List<Partition> partitions, JobFiles files) {
    private static final Duration MARGIN = Duration.ofMinutes(1);
    /** Slurm keeps its time limits in 16 bits. */
    private static final long MOST_SECONDS = 65_533;

    /** As long as a Prolog may wait for a head that is away, its input included; seen with 22.05.8: slurmctld waits 20 s otherwise. */
    private static final long LONGEST_PROLOG_SECONDS = 3600;

    /** A look at scripts in sbatch's own process: offered, as without its file every sbatch fails. */
    public static final String FILTER = "CliFilterPlugins";

    /** Needed until Slurm 23.02, which shows nodes of a cloud at all times and leaves the word out of what it says of itself. */
    static final String PRIVATE = "PrivateData";

    /**
     * Slurm 22.05 takes a glob that matches nothing for a Prolog that failed. At home these match {@code /usr/bin/true}, on
     * nodes of ours also {@code /run/spillway/tru1} and {@code tru2}.
     */
    private static final String PROLOG = "/[ru][us][nr]/[bs][ip][ni]*/tru[e1]";

    private static final String EPILOG = "/[ru][us][nr]/[bs][ip][ni]*/tru[e2]";

    public Wanted {
        settings = List.copyOf(settings);
        nodes = List.copyOf(nodes);
        partitions = List.copyOf(partitions);
    }

    /** The configuration asks for something that nobody offers. */
    public static final class NotOffered extends Exception {
        private static final long serialVersionUID = 1;

        NotOffered(String message) {
            super(message);
        }
    }

    /**
     * @param folder of slurm.conf, where the files will lie
     * @throws NotOffered if a declared type is none that its site offers, or a queue has a site's name and is not that site
     */
    public static Wanted of(HeadConfig config, SlurmSettings slurm, List<OfferingView> offerings, Path folder)
            throws NotOffered {
        List<NodeGroup> nodes = new ArrayList<>();
        for (var site : slurm.nodes().entrySet()) {
            for (var type : site.getValue().entrySet()) {
                nodes.add(group(site.getKey(), type.getKey(), type.getValue(), offerings));
            }
        }
        return new Wanted(settings(config, nodes, folder), nodes, partitions(config, slurm, nodes), slurm.files());
    }

    private static NodeGroup group(String site, String type, int count, List<OfferingView> offerings)
            throws NotOffered {
        List<OfferingView> ofSite =
                offerings.stream().filter(one -> one.site().equals(site)).toList();
        List<OfferingView> same =
                ofSite.stream().filter(one -> one.type().equals(type)).toList();
        if (same.isEmpty()) {
            Set<String> types = ofSite.stream().map(OfferingView::type).collect(Collectors.toCollection(TreeSet::new));
            throw new NotOffered("workload.slurm.nodes." + site + "." + type + ": site " + site + " does not offer it; "
                    + (types.isEmpty() ? "nothing is known of what it offers" : "it offers " + shortened(types)));
        }
        return NodeGroup.of(site, type, count, same);
    }

    private static String shortened(Set<String> types) {
        String first = types.stream().limit(20).collect(Collectors.joining(", "));
        return types.size() > 20 ? first + " and " + (types.size() - 20) + " more" : first;
    }

    private static List<Partition> partitions(HeadConfig config, SlurmSettings slurm, List<NodeGroup> nodes)
            throws NotOffered {
        List<Partition> partitions = new ArrayList<>();
        for (String site : slurm.nodes().keySet()) {
            Duration longest = config.queues().values().stream()
                    .filter(queue -> queue.sites().contains(site))
                    .map(HeadConfig.Queue::maxWalltime)
                    .max(Duration::compareTo)
                    .orElse(Duration.ofDays(1));
            partitions.add(partition(site, Set.of(site), nodes, longest, config));
        }
        for (HeadConfig.Queue queue : config.queues().values()) {
            Set<String> sites = new LinkedHashSet<>(queue.sites());
            sites.retainAll(slurm.nodes().keySet());
            if (slurm.nodes().containsKey(queue.name())) {
                if (!sites.equals(Set.of(queue.name()))) {
                    throw new NotOffered("queues." + queue.name()
                            + ": it has a site's name and other sites: a partition cannot be both; name the queue"
                            + " otherwise");
                }
            } else if (!sites.isEmpty()) {
                partitions.add(partition(queue.name(), sites, nodes, queue.maxWalltime(), config));
            }
        }
        return partitions;
    }

    private static Duration boot(HeadConfig config) {
        return config.sites().values().stream()
                .map(HeadConfig.Site::registration)
                .max(Duration::compareTo)
                .orElse(Duration.ofMinutes(5))
                .plus(MARGIN);
    }

    private static Partition partition(
            String name, Set<String> sites, List<NodeGroup> nodes, Duration longest, HeadConfig config) {
        return new Partition(
                name,
                nodes.stream().filter(group -> sites.contains(group.site())).toList(),
                Math.max(1, longest.toMinutes()),
                Math.min(MOST_SECONDS, boot(config).toSeconds()),
                sites.stream()
                        .allMatch(site -> Optional.ofNullable(config.sites().get(site))
                                .flatMap(HeadConfig.Site::reach)
                                .isPresent()));
    }

    private static List<Setting> settings(HeadConfig config, List<NodeGroup> nodes, Path folder) {
        List<Setting> all = new ArrayList<>(List.of(
                new Setting(
                        "SlurmctldParameters",
                        "enable_configless,idle_on_node_suspend",
                        Rule.AMONG,
                        "nodes of a cloud cannot fetch their configuration, or one that went down is never used again"),
                new Setting(PRIVATE, "cloud", Rule.AMONG, "nodes that are powered down are seen by nobody"),
                new Setting(
                        "PrologFlags", "Alloc", Rule.AMONG, "jobs of several nodes begin before their order is there"),
                new Setting("Prolog", PROLOG, Rule.ANY, "jobs run on nodes before they are paid"),
                new Setting("Epilog", EPILOG, Rule.ANY, "results are never collected"),
                new Setting("BurstBufferType", "burst_buffer/lua", Rule.SAME, "#SPILLWAY lines mean nothing"),
                new Setting(FILTER, "lua", Rule.AMONG, "mistakes in #SPILLWAY lines are told late, at stage-in"),
                new Setting(
                        "ResumeProgram",
                        folder.resolve(SlurmFiles.RESUME).toString(),
                        Rule.SAME,
                        "power saving is off"),
                new Setting(
                        "SuspendProgram",
                        folder.resolve(SlurmFiles.SUSPEND).toString(),
                        Rule.SAME,
                        "power saving is off"),
                new Setting(
                        "SlurmdTimeout",
                        Long.toString(Math.min(
                                MOST_SECONDS, config.lease().plus(MARGIN).toSeconds())),
                        Rule.AT_LEAST,
                        "a job is run a second time while its first node may still be at work"),
                new Setting(
                        "BatchStartTimeout",
                        Long.toString(LONGEST_PROLOG_SECONDS),
                        Rule.AT_LEAST,
                        "a job that waits for a head is taken for lost when its node registers, and run again")));
        if (nodes.stream().anyMatch(group -> group.gpus() > 0)) {
            all.add(new Setting("GresTypes", "gpu", Rule.AMONG, "jobs cannot ask for GPUs"));
        }
        return all;
    }
}
