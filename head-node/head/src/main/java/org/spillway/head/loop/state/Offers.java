package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.policy.ClusterSnapshot.Breaker;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.plan.Breakers;
import org.spillway.scaler.plan.Proving;
import org.spillway.scaler.plan.SickGroups;

/** The nodes that may still be had: by workload manager, parent, health and breakers. Queries only. */
public final class Offers {
    private final World world;
    private final Sites sites;

    Offers(World world, Sites sites) {
        this.world = world;
        this.sites = sites;
    }

    /** How many more nodes like that the workload manager can have; those that end count until they are gone. */
    public int room(Offering offering) {
        String type = offering.id().instanceType();
        int most = world.ports()
                .workload()
                .nodeList()
                .map(its -> its.room(offering.id().site(), type))
                .orElse(Integer.MAX_VALUE);
        if (most == Integer.MAX_VALUE) {
            return most;
        }
        long exist = world.journal().liveNodes(offering.id().site()).stream()
                .filter(node ->
                        !node.isDirector() && node.offering().instanceType().equals(type))
                .count();
        return Math.max(0, most - (int) exist);
    }

    /** Offerings of a site that its nodes may be. Its director may be something else. */
    public List<Offering> offerings(SiteState site) {
        return site.offerings().stream()
                .filter(one -> world.ports()
                                .workload()
                                .nodeList()
                                .map(its -> its.room(one.id().site(), one.id().instanceType()))
                                .orElse(Integer.MAX_VALUE)
                        > 0)
                .toList();
    }

    /** How many nodes a site may have, with those that children have there taken away. */
    public int most(SitePlan site) {
        int delegated = world.journal().delegations().stream()
                .filter(one -> one.site().equals(site.name()))
                .mapToInt(DelegatedRecord::instances)
                .sum();
        return Math.max(0, site.nodes().most() - delegated);
    }

    /** Health of offerings, with what is launched no faster than it proves itself. */
    public List<OfferingStatus> cautious(List<OfferingStatus> statuses, Instant now) {
        Set<OfferingId> offered = new HashSet<>();
        sites.all().forEach(site -> site.offerings().forEach(offering -> offered.add(offering.id())));
        Map<OfferingId, Integer> underWay = new HashMap<>();
        for (NodeRecord node : world.journal().liveNodes()) {
            boolean arrives = switch (node.nodeState()) {
                case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING -> !node.isDirector();
                default -> false;
            };
            if (arrives) {
                underWay.merge(node.offering(), 1, Integer::sum);
            }
        }
        List<Breakers.State> breakers = world.journal().breakers();
        List<OfferingStatus> proven = Proving.cut(
                statuses,
                offered,
                world.journal().outcomes(),
                breakers,
                underWay,
                world.settings().planning().breakers());
        return SickGroups.cut(proven, offered, breakers, underWay, now);
    }

    /** Whether a breaker holds its launches now: its own, its zone's or its site's. */
    public boolean isShut(OfferingId offering, Instant now) {
        return world.journal().breakers().stream()
                .anyMatch(breaker -> SickGroups.shuts(breaker, now)
                        && Breaker.namesOver(offering).contains(breaker.name()));
    }
}
