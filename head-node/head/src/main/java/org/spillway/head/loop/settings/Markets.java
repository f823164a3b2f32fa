package org.spillway.head.loop.settings;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.head.journal.JobSpec;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;

/**
 * The markets in which machines for jobs may be bought. A queue of which nothing is said has those whose machines no
 * provider takes back.
 *
 * @param queues what a queue allows, by its name
 * @param sites what every queue that uses a site allows, by the site's name
 */
public record Markets(Map<String, Set<Market>> queues, Map<String, Set<Market>> sites) {
    public static final Markets STEADY = new Markets(Map.of(), Map.of());

    public Markets {
        queues = Map.copyOf(queues);
        sites = Map.copyOf(sites);
    }

    /** @param queues what each allows, and {@code places} its sites, by its name */
    public static Markets of(Map<String, Set<Market>> queues, Map<String, List<String>> places) {
        Map<String, Set<Market>> sites = new HashMap<>();
        queues.forEach((queue, allowed) ->
                places.getOrDefault(queue, List.of()).forEach(site -> sites.merge(site, allowed, Markets::both)));
        return new Markets(queues, sites);
    }

    /** The markets that a job may be served in: its queue's, and of those the ones that its user wants. */
    public Set<Market> of(JobSpec spec) {
        Set<Market> wanted = spec.need().markets();
        Set<Market> allowed = queues.getOrDefault(spec.queue(), Market.STEADY);
        return wanted.isEmpty() ? allowed : both(allowed, wanted);
    }

    /** Of a node that is there for whoever comes: any job of its site may use it. */
    public boolean serveAll(String site, Market market) {
        Set<Market> all = sites.getOrDefault(site, Market.STEADY);
        return (all.isEmpty() ? Market.STEADY : all).contains(market);
    }

    /** The same offering, with the features of its market that these jobs ask for. */
    public Offering marked(Offering offering, Collection<Set<Market>> asked) {
        Set<String> more = new HashSet<>();
        asked.forEach(allowed -> more.addAll(Market.features(allowed)));
        more.retainAll(offering.id().market().features());
        if (more.isEmpty()) {
            return offering;
        }
        more.addAll(offering.features());
        return offering.withFeatures(more);
    }

    private static Set<Market> both(Set<Market> one, Set<Market> other) {
        Set<Market> both = new HashSet<>(one);
        both.retainAll(other);
        return Set.copyOf(both);
    }
}
