package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.List;
import org.spillway.api.NodeState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.RolloutRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.settings.StandingCapacity;
import org.spillway.head.rollout.Member;
import org.spillway.head.workload.JoinedNode;
import org.spillway.policy.Fabric;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;

/** Nodes that have not ended, as the journal and the sightings of this head have them. Queries only. */
public final class LiveNodes {
    private final World world;
    private final Sites sites;
    private final NodeSights sights;
    private final ForeignJobs foreign;

    LiveNodes(World world, Sites sites, NodeSights sights, ForeignJobs foreign) {
        this.world = world;
        this.sites = sites;
        this.sights = sights;
        this.foreign = foreign;
    }

    /** As they are now, in the order of their ids. */
    public List<NodeRecord> nodes() {
        return List.copyOf(world.journal().liveNodes());
    }

    /** Nodes of that site and its director, in the order of their ids. */
    public List<NodeRecord> nodes(String site) {
        return List.copyOf(world.journal().liveNodes(site));
    }

    /** Live nodes of a site, its director apart: what its limit counts. */
    public int count(String site) {
        return (int) nodes(site).stream().filter(node -> !node.isDirector()).count();
    }

    /** Several jobs may share a node. */
    public List<JobRecord> runningOn(String node) {
        return List.copyOf(world.journal().runningOn(node));
    }

    /** Whether it serves, and nothing runs there. */
    public boolean isFree(NodeRecord node) {
        return node.nodeState() == NodeState.READY && runningOn(node.id()).isEmpty() && !foreign.isAllocated(node.id());
    }

    /** Since when a node has had no job; a head that starts again counts anew. */
    public Instant idleSince(NodeRecord node) {
        Instant last = sights.lastBusy(node.id());
        Instant busy = last == null ? world.startedAt() : last;
        return busy.isAfter(node.since()) ? busy : node.since();
    }

    public List<String> standingOf(SitePlan plan, StandingCapacity capacity) {
        return StandingNodes.counted(plan, capacity, nodes(plan.name()));
    }

    /** Whether it exists all the time, and runs only while something needs it. */
    public boolean isPooled(NodeRecord node) {
        return !node.care().keep()
                && standingNodes(sites.of(node.site())).pooled().contains(node.id());
    }

    /** Whether it is stopped where another would be ended, and may be started for a job. */
    public boolean stops(NodeRecord node) {
        SitePlan plan = sites.of(node.site()).plan;
        return (plan.nodes().idle().stop() || isPooled(node))
                && plan.provider().power().isPresent()
                && node.offering().market() != Market.SPOT
                && !node.care().parked()
                && !sights.wasNotStarted(node.id());
    }

    /** Whether the policy must not release it: its site or an administrator keeps it. */
    public boolean isStanding(NodeRecord node) {
        return node.care().keep()
                || isOnTrial(node)
                || standingNodes(sites.of(node.site())).all().contains(node.id());
    }

    /** Whether a rollout waits for what becomes of it. */
    private boolean isOnTrial(NodeRecord node) {
        return world.journal().rollout(node.profile().category()).filter(RolloutRecord::isUnderWay).stream()
                .flatMap(record -> record.members().stream())
                .filter(member -> member.node().equals(node.id()))
                .anyMatch(member -> member.stage() == Member.Stage.TURNING || member.stage() == Member.Stage.SOAKING);
    }

    /** The resources that a job takes of a node: all of it, when it shares with nobody. */
    public Resources taken(JobRecord job, String node) {
        return job.spec().need().whole()
                ? world.journal()
                        .node(node)
                        .map(NodeRecord::resources)
                        .orElse(job.spec().resources())
                : job.spec().resources();
    }

    /** The used part is a fact, even where it is more than there is: nothing is free then. */
    public static Resources without(Resources room, Resources used) {
        boolean fits =
                new Resources(used.cpus(), used.memoryBytes(), used.gpus(), "", used.localDiskBytes()).fitsIn(room);
        return fits ? room.minus(used) : new Resources(0, 0, 0, room.gpuModel(), 0);
    }

    public static JoinedNode joined(NodeRecord node) {
        return new JoinedNode(
                node.id(),
                node.site(),
                node.offering().instanceType(),
                node.inside(),
                node.resources(),
                node.profile().category(),
                node.offering().market(),
                fabricOf(node));
    }

    /** Also asked by threads that answer questions, so the count is read before the nodes: at worst it is reckoned again. */
    @SuppressWarnings("ReferenceEquality")
    private StandingNodes standingNodes(SiteState site) {
        long changes = world.journal().nodeChanges();
        SitePlan plan = site.plan;
        StandingNodes known = site.standingNodes;
        if (known == null || known.changes() != changes || known.plan() != plan) {
            known = StandingNodes.of(plan, changes, plan.nodes().standing().isEmpty() ? List.of() : nodes(plan.name()));
            site.standingNodes = known;
        }
        return known;
    }

    /** Nodes of one gang have the same one. */
    private static String fabricOf(NodeRecord node) {
        Fabric fabric = node.fabric();
        return fabric.name().isEmpty() ? "" : node.offering().zone() + "/" + fabric.name() + "/" + fabric.group();
    }
}
