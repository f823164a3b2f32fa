package org.spillway.head.loop.state;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.stage.Checksum;

/** The sites with what was seen of each, and their directors. Loop thread only, but for single looks by REST. */
public final class Sites {
    private static final long SLOWEST_BYTES_PER_SECOND = 5_000_000;

    private final World world;
    private final Map<String, SiteState> byName = new TreeMap<>();
    private final Unknowns unknowns;
    private final Rivals rivals;
    private final long sequenceBase;
    private long sequence;

    Sites(World world) {
        this.world = world;
        boolean moved = world.journal().store().standing().moved();
        for (SitePlan plan : world.settings().sites().values()) {
            SiteState site = new SiteState(plan);
            site.twin = moved ? SiteCause.SiteFact.COPY_NOT_LISTED : Cause.NONE;
            byName.put(plan.name(), site);
        }
        this.rivals = new Rivals(moved, world.startedAt());
        long first = world.journal().store().nextSequence();
        this.unknowns = new Unknowns(world.journal(), first);
        this.sequenceBase = first << 24;
    }

    /** Instances that nobody owns and nobody may end. */
    public Unknowns unknowns() {
        return unknowns;
    }

    /** Other heads of this state. */
    public Rivals rivals() {
        return rivals;
    }

    /** In the order of their names. */
    public List<SiteState> all() {
        return List.copyOf(byName.values());
    }

    public Set<String> names() {
        return Collections.unmodifiableSet(byName.keySet());
    }

    public boolean has(String name) {
        return byName.containsKey(name);
    }

    /** Null for one that the settings do not name. */
    public @Nullable SiteState find(String name) {
        return byName.get(name);
    }

    public SiteState of(String name) {
        SiteState site = byName.get(name);
        if (site == null) {
            throw new IllegalStateException("no such site: " + name);
        }
        return site;
    }

    /** The site's director that serves or is on its way; one that ends does not count. */
    public Optional<NodeRecord> director(String site) {
        return world.journal().liveDirectors(site).stream()
                .filter(node -> node.nodeState() != NodeState.TERMINATING && node.nodeState() != NodeState.UNREACHABLE)
                .findFirst();
    }

    public Optional<NodeRecord> readyDirector(String site) {
        return director(site)
                .filter(node -> node.nodeState() == NodeState.READY || node.nodeState() == NodeState.DRAINING);
    }

    /**
     * A director that nodes can be told of: they boot while it is installed, and ask until it answers. Where one has
     * failed, nodes wait until the next serves: they would be paid for in vain.
     */
    public Optional<NodeRecord> addressedDirector(String site) {
        return director(site)
                .filter(node -> !node.address().isEmpty()
                        && switch (node.nodeState()) {
                            case PROVISIONING, JOINING ->
                                of(site).directorTrouble.isNone();
                            case READY -> true;
                            default -> false;
                        });
    }

    /** Whether nodes may be planned in a site: one gets no director for a dry run, and yet is planned with. */
    public boolean mayPlan(String site) {
        return world.settings().planning().dryRun() || addressedDirector(site).isPresent();
    }

    /** The staging store of the director that is ready now; null when there is none. */
    @Nullable
    public String store(SiteState site) {
        Report report = site.report;
        boolean current = readyDirector(site.plan.name())
                .filter(director -> director.id().equals(site.reportFrom))
                .isPresent();
        return current && report != null ? report.store() : null;
    }

    /** Whether nothing new about a node that ended then can come from its site's director any more. */
    public boolean hasLastWord(String site, Instant then) {
        Optional<NodeRecord> director = director(site);
        Instant heard = of(site).syncedAt;
        return director.isEmpty() || (heard != null && heard.isAfter(then));
    }

    /**
     * A node ends a job that is over its walltime by itself. What is not heard of long after that never started, or its
     * node says nothing true: it is taken back, or it would be waited for for ever. A head counts from its own start: a
     * machine's clock that was set forward meanwhile makes no run long.
     */
    public boolean isOverdue(JobRecord job, Instant now) {
        if (job.jobState() != JobState.RUNNING) {
            return false;
        }
        JobRun.Staged staged = job.run().staged();
        Checksum bundle = staged == null ? null : staged.bundle();
        Duration preparing = of(job.run().site())
                .plan
                .nodes()
                .registration()
                .plus(world.settings().spending().endingAllowance())
                .plusSeconds(bundle == null ? 0 : bundle.bytes() / SLOWEST_BYTES_PER_SECOND);
        Instant seen = job.since().isAfter(world.startedAt()) ? job.since() : world.startedAt();
        return now.isAfter(seen.plus(job.spec().walltime()).plus(preparing));
    }

    /** Why nothing can begin in a site now; none when its director is there or on its way. */
    public Cause obstacle(String site) {
        if (site.isEmpty()
                || world.settings().planning().dryRun()
                || director(site).isPresent()) {
            return Cause.NONE;
        }
        SiteState state = of(site);
        return new WaitCause.NoDirector(site, state.ailment());
    }

    /**
     * The node, now that the provider has named its instance. Another offering of its ranked set has resources and a price of
     * its own; and one that became the first of its set costs no more than that, where the dearest was reserved.
     */
    public NodeRecord named(NodeRecord node, Instance instance) {
        NodeRecord named = node.withInstance(instance.id(), instance.address(), instance.sshPort(), instance.inside());
        return of(node.site()).offerings().stream()
                .filter(offering -> offering.id().equals(instance.offering()))
                .filter(offering -> !offering.id().equals(node.offering())
                        || node.pricePerHour().isMoreThan(offering.pricePerHour()))
                .findFirst()
                .map(named::withOffering)
                .orElse(named);
    }

    public static DirectorTarget target(NodeRecord director) {
        String instance = director.instance();
        return new DirectorTarget(
                director.site(),
                director.id(),
                instance == null ? "" : instance,
                director.address(),
                director.sshPort(),
                director.inside());
    }

    /** Grows over restarts too, without a write for each. */
    public long nextDirective() {
        return sequenceBase + ++sequence;
    }
}
