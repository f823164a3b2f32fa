package org.spillway.head.loop.nodes;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;

/**
 * Nodes that another manager has given to jobs which the head does not bind to them: the budget refuses them, or what
 * they were given is of no use to them. Their processes wait there for an order, and nobody has reserved what that costs.
 * Such a node is ended like one that is idle: its manager then takes the job back, and it waits without one. In memory
 * only: a head that starts again gives them the same time anew. Loop thread only.
 */
public final class Unbound {
    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final JobMemory memory;
    private final ForeignJobs foreign;
    private Map<String, Instant> since = Map.of();

    Unbound(World world, Sites sites, LiveNodes live, JobMemory memory, ForeignJobs foreign) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.memory = memory;
        this.foreign = foreign;
    }

    /** Jobs for which that has lasted longer than a node may be idle. To be asked once in each tick. */
    Set<String> late(Instant now) {
        Map<String, Instant> waiting = new HashMap<>();
        Set<String> late = new HashSet<>();
        // While the manager is away, nothing is bound and nothing that it said is known to be so still.
        if (foreign.isFresh(now)) {
            for (NodeRecord node : live.nodes()) {
                if (isHeldUp(node)) {
                    waiting.put(node.id(), since.getOrDefault(node.id(), now));
                }
            }
            if (!waiting.isEmpty()) {
                waiting.keySet().removeAll(awaitingData());
            }
        }
        waiting.forEach((node, from) -> {
            if (now.isAfter(from.plus(world.settings().spending().idleTime()))) {
                late.add(node);
            }
        });
        since = waiting;
        return late;
    }

    /** Without a director nothing is bound either. What the administrator keeps is paid for being there. */
    private boolean isHeldUp(NodeRecord node) {
        boolean serves = node.nodeState() == NodeState.READY || node.nodeState() == NodeState.DRAINING;
        return serves
                && foreign.isAllocated(node.id())
                && live.runningOn(node.id()).isEmpty()
                && !node.care().parked()
                && !live.isStanding(node)
                && sites.store(sites.of(node.site())) != null;
    }

    /** Nodes of jobs whose input had to be moved once more and is on the way. */
    private Set<String> awaitingData() {
        Set<String> nodes = new HashSet<>();
        for (JobRecord job : world.journal().jobs(JobState.STAGING_IN)) {
            if (!memory.failing().isStageIn(job.id())) {
                nodes.addAll(foreign.allocation(job));
            }
        }
        return nodes;
    }
}
