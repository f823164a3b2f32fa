package org.spillway.scaler.simulate.world;

import java.util.List;
import java.util.stream.Stream;
import org.spillway.policy.Offering;
import org.spillway.policy.Resources;
import org.spillway.scaler.simulate.log.NodeGroup;

/**
 * Where a log is replayed.
 *
 * @param home the nodes that are always there; may be empty
 * @param sites clouds in the order in which queues prefer them
 * @param limits besides those of the sites and the budget
 */
public record Scenario(List<NodeGroup> home, List<SimulatedSite> sites, List<SimulatedLimit> limits) {
    /** The site of the nodes that are always there. */
    public static final String HOME = "home";

    /** Without further limits. */
    public Scenario(List<NodeGroup> home, List<SimulatedSite> sites) {
        this(home, sites, List.of());
    }

    public Scenario {
        limits = List.copyOf(limits);
        home = List.copyOf(home);
        sites = List.copyOf(sites);
    }

    public List<String> siteNames() {
        return Stream.concat(Stream.of(HOME), sites.stream().map(SimulatedSite::name))
                .toList();
    }

    public List<Offering> offerings() {
        return sites.stream()
                .flatMap(site -> site.offerings().stream())
                .map(SimulatedOffering::offering)
                .toList();
    }

    /** Whether some site could ever run such a job, with nothing else on it. */
    public boolean canHold(Resources perNode, int nodes) {
        int atHome = home.stream()
                .filter(group -> perNode.fitsIn(group.each()))
                .mapToInt(NodeGroup::count)
                .sum();
        return atHome >= nodes
                || sites.stream()
                        .anyMatch(site -> Math.min(
                                        site.maxNodes(),
                                        site.offerings().stream()
                                                .filter(one -> perNode.fitsIn(
                                                        one.offering().resources()))
                                                .mapToInt(SimulatedOffering::capacity)
                                                .sum())
                                >= nodes);
    }
}
