package org.spillway.head.loop.nodes;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.NodeVerdict;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.scaler.plan.Breakers.Fault;
import org.spillway.scaler.plan.SickGroups;

/** Which steps of nodes tell of a fault of their machine or of where it stands: breakers are folded from these. */
final class HealthFaults {
    /** Checks of what the head and the director give to each node: the machine is not to blame. */
    private static final Set<String> GIVEN = Set.of("certificate", "program", "image", "directory", "turn", "root");

    private final World world;
    private final Sites sites;
    private final LiveNodes live;

    HealthFaults(World world, Sites sites, LiveNodes live) {
        this.world = world;
        this.sites = sites;
        this.live = live;
    }

    /** The provider's name of the machine below it; empty where that is not told. */
    String host(NodeRecord node) {
        String id = node.instance();
        Instance seen = id == null ? null : sites.of(node.site()).seen(id);
        return seen == null ? "" : seen.host();
    }

    /** The fault that this step tells of; empty for none. */
    Optional<Fault> of(NodeRecord before, NodeRecord next, Instant now) {
        if (next.isDirector()) {
            return Optional.empty();
        }
        return switch (next.cause()) {
            case NodeCause.Sick(String said) -> Optional.of(fault("health", said, before, now));
            case NodeCause.GateFailed(String check, String said)
            when before.nodeState() != NodeState.READY && !GIVEN.contains(check) ->
                Optional.of(fault(check, said, before, now));
            case NodeFact fact
            when fact == NodeFact.LEASE_NOT_RENEWED
                    && next.nodeState() == NodeState.UNREACHABLE
                    && isDirectorHeard(next, now) -> Optional.of(fault(Fault.LOST, "", before, now));
            default -> Optional.empty();
        };
    }

    /** Of a node that would serve, on a machine that is shut: it has no job yet. */
    NodeVerdict judged(NodeRecord node, NodeVerdict verdict, Instant now) {
        boolean arrives = node.nodeState() == NodeState.JOINING && verdict.next() == NodeState.READY;
        if (!arrives || node.isDirector()) {
            return verdict;
        }
        String host = host(node);
        return SickGroups.refuses(world.journal().breakers(), node.site(), host, now)
                ? new NodeVerdict(NodeState.TERMINATING, true, false, new NodeCause.HostShut(host))
                : verdict;
    }

    /** Whoever does not hear the director does not hear its nodes either. */
    private boolean isDirectorHeard(NodeRecord node, Instant now) {
        Instant heard = sites.of(node.site()).syncedAt;
        return heard != null
                && heard.isAfter(now.minus(world.settings().lease().length().dividedBy(2)));
    }

    private Fault fault(String check, String said, NodeRecord node, Instant now) {
        return new Fault(now, check, Outcomes.plain(said), job(node));
    }

    /** The job that is there, else the last that was, as far as it has not begun elsewhere since. */
    private String job(NodeRecord node) {
        return live.runningOn(node.id()).stream()
                .map(JobRecord::id)
                .sorted()
                .findFirst()
                .or(() -> world.journal().jobs().stream()
                        .filter(job -> job.run().ranks().stream()
                                .anyMatch(rank -> rank.node().equals(node.id())))
                        .max(Comparator.comparing(JobRecord::since).thenComparing(JobRecord::id))
                        .map(JobRecord::id))
                .orElse("");
    }
}
