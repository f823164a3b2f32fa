package org.spillway.head.limits;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.journal.NodeRecord;

/**
 * Sees places of sites come free: compares what a head and its children have with what they had at the last look. The
 * first look of a head's life sees none. One thread.
 */
public final class Places {
    private Set<String> nodes = Set.of();
    private Map<String, Integer> children = Map.of();
    private final Map<String, String> sites = new HashMap<>();

    /**
     * @param live nodes of this head
     * @param delegated purchases of its children
     * @return sites of which something has ended since the last look
     */
    public Set<String> freed(Collection<NodeRecord> live, Collection<DelegatedRecord> delegated) {
        Set<String> freed = new HashSet<>();
        Set<String> here = new HashSet<>();
        for (NodeRecord node : live) {
            here.add(node.id());
            sites.put(node.id(), node.site());
        }
        Map<String, Integer> bought = new HashMap<>();
        for (DelegatedRecord one : delegated) {
            bought.put(one.id(), one.instances());
            sites.put(one.id(), one.site());
        }
        nodes.stream().filter(id -> !here.contains(id)).forEach(id -> freed.add(sites.getOrDefault(id, "")));
        children.forEach((id, count) -> {
            if (bought.getOrDefault(id, 0) < count) {
                freed.add(sites.getOrDefault(id, ""));
            }
        });
        nodes = here;
        children = bought;
        sites.keySet().removeIf(id -> !here.contains(id) && !bought.containsKey(id));
        return freed;
    }
}
