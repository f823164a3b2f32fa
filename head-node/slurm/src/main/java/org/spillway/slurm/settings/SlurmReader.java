package org.spillway.slurm.settings;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.head.config.NodeFolders;
import org.spillway.head.config.SecretFile;
import org.spillway.settings.Section;
import org.spillway.settings.Suggestion;
import org.yaml.snakeyaml.nodes.Node;

/** Reads {@code workload.slurm}. */
public final class SlurmReader {
    /** A slot's number has no more digits than this allows; Slurm's default of {@code MaxNodeCount} has room for more. */
    private static final int MOST_NODES = 2000;

    /** Shared folders, whose names go to nodes in one word. */
    private static final int MOST_SHARED = 8;

    private static final String FOLDERS =
            "a list of folders that nodes mount, such as [/home, /projects]: " + NodeFolders.ALLOWED;

    private static final String CLASSES = "scale, scale-without-nodes, never";

    private SlurmReader() {}

    /** @param sites names of all sites */
    public static SlurmSettings read(Section slurm, Path base, Set<String> sites) {
        var read = new SlurmSettings(
                slurm.path("conf", Path.of("/etc/slurm/slurm.conf"), base),
                slurm.matching("user", "slurm", "[A-Za-z_][A-Za-z0-9_.-]{0,31}", "SlurmUser's login name"),
                slurm.matching(
                        "controller",
                        null,
                        "[A-Za-z0-9.-]+:[0-9]{1,5}",
                        "HOST:PORT of slurmctld as the sites' nodes reach it, such as 10.9.0.254:6817"),
                slurm.path("mungeSocket", Path.of("/run/munge/munge.socket.2"), base),
                slurm.path("mungeKey", Path.of("/etc/munge/munge.key"), base),
                nodes(slurm.section("nodes", true), sites),
                files(slurm),
                reasons(slurm.section("reasons", false)));
        SecretFile.check(slurm, "mungeKey", read.mungeKey());
        if (read.controller().startsWith("127.") || read.controller().startsWith("localhost:")) {
            slurm.mistake(
                    "controller",
                    "found '" + read.controller() + "', by which nodes would call themselves; allowed: an address"
                            + " that the sites' nodes have a route to");
        }
        return read;
    }

    private static JobFiles files(Section slurm) {
        boolean leave = slurm.oneOf("unnamed", "home", List.of("home", "leave")).equals("leave");
        Map<String, Node> shared = slurm.wordsIfAny("shared", FOLDERS);
        if (shared.size() > MOST_SHARED) {
            slurm.mistake("shared", "found " + shared.size() + " folders; allowed: at most " + MOST_SHARED);
        }
        shared.forEach((folder, at) -> {
            if (!NodeFolders.allows(folder)) {
                slurm.mistakeAt(at, "shared", "found '" + folder + "'; allowed: " + FOLDERS);
            }
        });
        return new JobFiles(leave ? Unnamed.LEAVE : Unnamed.HOME, List.copyOf(shared.keySet()));
    }

    private static Map<String, Map<String, Integer>> nodes(Section section, Set<String> sites) {
        var all = new LinkedHashMap<String, Map<String, Integer>>();
        for (var site : section.keys()) {
            if (!sites.contains(site)) {
                section.mistake(
                        site,
                        "there is no such site; allowed: " + String.join(", ", sites) + Suggestion.phrase(site, sites));
                continue;
            }
            var types = section.section(site, true);
            var counts = new LinkedHashMap<String, Integer>();
            for (var type : types.keys()) {
                counts.put(type, types.integer(type, null, 1, MOST_NODES));
            }
            all.put(site, counts);
        }
        return all;
    }

    /** Reasons of staging are the head's own and stay what they are. */
    private static Map<String, PendingReason> reasons(Section section) {
        var known = PendingReasons.table().entrySet().stream()
                .filter(entry -> entry.getValue() != PendingReason.STAGING)
                .map(Map.Entry::getKey)
                .toList();
        var all = new LinkedHashMap<String, PendingReason>();
        for (var reason : section.keys()) {
            if (known.contains(reason)) {
                all.put(
                        reason,
                        section.value(
                                reason,
                                null,
                                PendingReason.NEVER,
                                CLASSES,
                                text -> PendingReason.chosen(text)
                                        .orElseThrow(() -> new IllegalArgumentException(
                                                "found '" + text + "'; allowed: " + CLASSES))));
            } else {
                section.mistake(
                        reason,
                        "not a pending reason that may be moved; allowed: those of the table in docs/slurm.md, such as"
                                + " Licenses" + Suggestion.phrase(reason, known));
            }
        }
        return all;
    }
}
