package org.spillway.head.forward;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Connections to services by job, node and site, within their bounds. Safe for several threads. */
final class ForwardCounts {
    private final Map<List<String>, Integer> held = new HashMap<>();

    /** Counts one more. @return why there may be none; empty when it was counted */
    synchronized Optional<String> take(ForwardPermit.Asked asked, HomeForward.Bounds bounds) {
        Optional<String> full = full(ofJob(asked), bounds.perJob(), "job " + asked.job(), "perJob")
                .or(() -> full(ofNode(asked), bounds.perNode(), "node " + asked.node(), "perNode"))
                .or(() -> full(ofSite(asked), bounds.perSite(), "site " + asked.site(), "perSite"));
        if (full.isEmpty()) {
            keys(asked).forEach(key -> held.merge(key, 1, Integer::sum));
        }
        return full;
    }

    synchronized void give(ForwardPermit.Asked asked) {
        keys(asked).forEach(key -> held.computeIfPresent(key, (any, has) -> has == 1 ? null : has - 1));
    }

    /** Connections to all services of a site. */
    synchronized int of(String site) {
        return held.entrySet().stream()
                .filter(one ->
                        one.getKey().size() == 2 && one.getKey().getFirst().equals(site))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    private Optional<String> full(List<String> key, int most, String whose, String setting) {
        int has = held.getOrDefault(key, 0);
        return has < most
                ? Optional.empty()
                : Optional.of(whose + " has " + has + " connections already (" + setting + ")");
    }

    private static List<List<String>> keys(ForwardPermit.Asked asked) {
        return List.of(ofJob(asked), ofNode(asked), ofSite(asked));
    }

    private static List<String> ofJob(ForwardPermit.Asked asked) {
        return List.of(asked.site(), asked.name(), "job", asked.job());
    }

    private static List<String> ofNode(ForwardPermit.Asked asked) {
        return List.of(asked.site(), asked.name(), "node", asked.node());
    }

    private static List<String> ofSite(ForwardPermit.Asked asked) {
        return List.of(asked.site(), asked.name());
    }
}
