package org.spillway.head.loop;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.cause.PlaceCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.cause.WaitCause.Purpose;
import org.spillway.head.cause.WaitCause.WaitFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.ShownWaits;
import org.spillway.head.placement.Prospect;

/**
 * Answers about jobs, of which there is one for each. Plans speak of all jobs of a shape, placement of each one: where both speak of nodes, the job's own
 * place decides, so that nobody is told of a node that another job will have. Any thread.
 */
final class Standings {
    private final World world;
    private final Sites sites;
    private final JobMemory memory;
    private final ShownWaits shown;

    Standings(World world, Sites sites, JobMemory memory, ShownWaits shown) {
        this.world = world;
        this.sites = sites;
        this.memory = memory;
        this.shown = shown;
    }

    Standing of(JobRecord job) {
        return switch (job.jobState()) {
            case SUBMITTED, HELD ->
                new Standing(
                        shown.of(job.id()).or(job.cause()),
                        start(memory.expectations().of(job.id()), job));
            case STAGING_IN, QUEUED -> waiting(job);
            case STAGING_OUT -> new Standing(shown.of(job.id()).or(job.cause()), null);
            case RUNNING -> new Standing(running(job), null);
            case DONE, FAILED, CANCELLED -> new Standing(job.cause(), null);
        };
    }

    static Cause running(JobRecord job) {
        JobRun run = job.run();
        if (run.cancelled()) {
            return JobFact.STOPPING_FOR_USER;
        }
        return run.isStopping() ? JobFact.STOPPING_FOR_PART : job.cause();
    }

    private Standing waiting(JobRecord job) {
        Prospect prospect = memory.expectations().of(job.id());
        String site = job.run().site();
        Cause obstacle = sites.obstacle(site);
        Cause said = obstacle.or(of(shown.of(job.id()), prospect, its(prospect)));
        return new Standing(said.or(silence(site, prospect)).or(job.cause()), start(prospect, job));
    }

    /** Nobody has found anything out yet: nodes are asked for when the site's director is there. */
    private Cause silence(String site, @Nullable Prospect prospect) {
        if (site.isEmpty()
                || prospect == null
                || !prospect.now()
                || !prospect.nodes().isEmpty()) {
            return Cause.NONE;
        }
        return sites.readyDirector(site).isEmpty()
                ? new WaitCause.DirectorNotReady(site, sites.of(site).ailment())
                : WaitFact.NODE_PLANNED;
    }

    private static @Nullable Instant start(@Nullable Prospect prospect, JobRecord job) {
        return prospect == null || job.run().cancelled() ? null : prospect.start();
    }

    /** Nodes on their way that are to be this job's. */
    List<NodeRecord> coming(JobRecord job) {
        return its(memory.expectations().of(job.id())).stream()
                .filter(Standings::comes)
                .toList();
    }

    private List<NodeRecord> its(@Nullable Prospect prospect) {
        return prospect == null
                ? List.of()
                : prospect.nodes().stream()
                        .flatMap(id -> world.journal().node(id).stream())
                        .filter(node -> comes(node) || node.nodeState() == NodeState.READY)
                        .toList();
    }

    private static boolean comes(NodeRecord node) {
        return switch (node.nodeState()) {
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING, REPURPOSING -> true;
            case READY, DRAINING, STOPPING, STOPPED, TERMINATING, TERMINATED, UNREACHABLE, RECLAIMING, FAILED -> false;
        };
    }

    /**
     * The cause that is shown of a job that waits for nodes.
     *
     * @param said what was found out about jobs like it
     * @param prospect its own; null while nothing was decided
     * @param nodes that are to be its own, there or on their way
     */
    static Cause of(Cause said, @Nullable Prospect prospect, List<NodeRecord> nodes) {
        if (prospect == null || !isOfNodes(said)) {
            return said;
        }
        List<NodeRecord> coming = nodes.stream().filter(Standings::comes).toList();
        if (!coming.isEmpty()) {
            NodeRecord first = coming.getFirst();
            boolean known = said instanceof WaitCause.NodePoweredOn || said instanceof WaitCause.NodeRepurposed;
            return known
                    ? said
                    : new WaitCause.NodeOnTheWay(
                            first.offering().instanceType(), first.offering().zone());
        }
        if (!nodes.isEmpty() && !prospect.buys()) {
            return WaitFact.NODE_READY;
        }
        boolean comesNone = said.isNone()
                || said instanceof WaitCause.NodeOnTheWay
                || said instanceof WaitCause.NodePoweredOn
                || said instanceof WaitCause.NodeRepurposed;
        return comesNone && !prospect.now() ? prospect.obstacle() : said;
    }

    private static boolean isOfNodes(Cause said) {
        return switch (said) {
            case WaitCause.NodeOnTheWay any -> true;
            case WaitCause.NodePoweredOn any -> true;
            case WaitCause.NodeRepurposed any -> true;
            case WaitCause.PlanHolds any -> true;
            case WaitCause.NoSlots any -> true;
            case WaitCause.Budget budget -> isOfNodes(budget.purpose());
            case WaitCause.LimitReached limit -> isOfNodes(limit.purpose());
            case PlaceCause any -> true;
            default -> said.isNone();
        };
    }

    private static boolean isOfNodes(Purpose purpose) {
        return switch (purpose) {
            case NODE, START, REPURPOSING, TURN -> true;
            case RUN, COMMITMENT -> false;
        };
    }
}
