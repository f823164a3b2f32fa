package org.spillway.proof.demo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Every instance that the clouds ever showed. A cloud lists an instance for a minute after its end and then forgets it,
 * so that one which is listed no more has ended.
 */
final class InstanceLedger {
    private final Map<String, LocalCloudAccess.Machine> seen = new LinkedHashMap<>();
    private final Map<String, String> sites = new LinkedHashMap<>();

    /** @param listed all that the site's cloud showed just now */
    void look(String site, List<LocalCloudAccess.Machine> listed) {
        Set<String> there = listed.stream().map(LocalCloudAccess.Machine::id).collect(Collectors.toSet());
        for (var machine : listed) {
            seen.put(machine.id(), machine);
            sites.put(machine.id(), site);
        }
        seen.replaceAll((id, machine) -> site.equals(sites.get(id)) && !there.contains(id)
                ? new LocalCloudAccess.Machine(id, machine.type(), machine.role(), "TERMINATED", machine.address())
                : machine);
    }

    int launched() {
        return seen.size();
    }

    int terminated() {
        return (int) seen.values().stream()
                .filter(LocalCloudAccess.Machine::hasEnded)
                .count();
    }

    int left() {
        return launched() - terminated();
    }
}
