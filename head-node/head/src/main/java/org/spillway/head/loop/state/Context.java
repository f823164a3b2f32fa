package org.spillway.head.loop.state;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
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
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.money.History;
import org.spillway.head.loop.money.Spending;
import org.spillway.head.loop.port.AskedCalls;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.settings.StandingCapacity;
import org.spillway.head.workload.JoinedNode;
import org.spillway.policy.Fabric;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;
import org.spillway.scaler.plan.Proving;
import org.spillway.stage.Checksum;

/** State that the parts of the loop share: the journal, the ports, and what was seen since this head was started. */
public final class Context {
    private static final long SLOWEST_BYTES_PER_SECOND = 5_000_000;

    public final LoopSettings settings;
    public final Journal journal;
    public final Ports ports;
    public final Instant startedAt;
    /** By name; each is its own memory. */
    public final Map<String, SiteState> sites;

    /** REST reads it, too. */
    private volatile Money budget;

    public final AskedCalls calls;
    public final NodeSights sights = new NodeSights();
    public final BootTimes bootTimes = new BootTimes();
    public final UnknownLaunches unknownLaunches = new UnknownLaunches();
    public final Transfers transfers = new Transfers();
    public final Failing failing = new Failing();
    public final Unpaid unpaid = new Unpaid();
    public final Expectations expectations = new Expectations();

    /** The workload manager's word on jobs that were given to it. */
    public final ForeignJobs foreign;

    /** Run times of ended jobs. */
    public final History history;

    /** The administrator's limits. */
    public final Capping capping;

    /** Prices of sites for letting results out. */
    public final Egress egress = new Egress(this);

    private final long sequenceBase;
    private long sequence;

    public Context(LoopSettings settings, Journal journal, Ports ports, Instant now) {
        this.settings = settings;
        this.budget = settings.spending().budget();
        this.journal = journal;
        this.ports = ports;
        this.foreign = new ForeignJobs(journal);
        this.history = new History(journal, settings.limits().shares());
        this.capping = new Capping(this);
        this.startedAt = now;
        this.calls = new AskedCalls(ports.effects(), now);
        Map<String, SiteState> all = new TreeMap<>();
        settings.sites().values().forEach(plan -> all.put(plan.name(), new SiteState(plan)));
        this.sites = Collections.unmodifiableMap(all);
        this.sequenceBase = journal.store().nextSequence() << 24;
    }

    /** For one period. Any thread. */
    public Money budget() {
        return budget;
    }

    /** The parent of this cluster lets it have so much from now on. */
    public void allow(Money most) {
        budget = most;
    }

    /** Nothing is kept in memory of a job that has ended. */
    public void forget(String job) {
        expectations.forget(job);
        unpaid.forget(job);
        failing.forget(job);
        transfers.forget(job);
    }

    /** The used part is a fact, even where it is more than there is: nothing is free then. */
    public static Resources without(Resources room, Resources used) {
        boolean fits =
                new Resources(used.cpus(), used.memoryBytes(), used.gpus(), "", used.localDiskBytes()).fitsIn(room);
        return fits ? room.minus(used) : new Resources(0, 0, 0, room.gpuModel(), 0);
    }

    /** The resources that a job takes of a node: all of it, when it shares with nobody. */
    public Resources taken(JobRecord job, String node) {
        return job.spec().need().whole()
                ? journal.node(node)
                        .map(NodeRecord::resources)
                        .orElse(job.spec().resources())
                : job.spec().resources();
    }

    /** Grows over restarts too, without a write for each. */
    public long nextDirective() {
        return sequenceBase + ++sequence;
    }

    public SiteState site(String name) {
        SiteState site = sites.get(name);
        if (site == null) {
            throw new IllegalStateException("no such site: " + name);
        }
        return site;
    }

    /**
     * The node, now that the provider has named its instance: where that became another offering than the one that was
     * asked for, it has that one's resources and price.
     */
    public NodeRecord named(NodeRecord node, Instance instance) {
        NodeRecord named = node.withInstance(instance.id(), instance.address(), instance.sshPort(), instance.inside());
        if (instance.offering().equals(node.offering())) {
            return named;
        }
        return site(node.site()).offerings.stream()
                .filter(offering -> offering.id().equals(instance.offering()))
                .findFirst()
                .map(named::withOffering)
                .orElse(named);
    }

    /** As they are now, in the order of their ids. */
    public List<NodeRecord> liveNodes() {
        return List.copyOf(journal.liveNodes());
    }

    /** Nodes of that site and its director, in the order of their ids. */
    public List<NodeRecord> liveNodes(String site) {
        return List.copyOf(journal.liveNodes(site));
    }

    /** The site's director that serves or is on its way; one that ends does not count. */
    public Optional<NodeRecord> director(String site) {
        return journal.liveDirectors(site).stream()
                .filter(node -> node.nodeState() != NodeState.TERMINATING && node.nodeState() != NodeState.UNREACHABLE)
                .findFirst();
    }

    public Optional<NodeRecord> readyDirector(String site) {
        return director(site)
                .filter(node -> node.nodeState() == NodeState.READY || node.nodeState() == NodeState.DRAINING);
    }

    /** A director that nodes can be told of: they boot while it is installed, and ask until it answers. */
    public Optional<NodeRecord> addressedDirector(String site) {
        return director(site)
                .filter(node -> !node.address().isEmpty()
                        && switch (node.nodeState()) {
                            case PROVISIONING, JOINING, READY -> true;
                            default -> false;
                        });
    }

    /** Whether nodes may be planned in a site: one gets no director for a dry run, and yet is planned with. */
    public boolean mayPlan(String site) {
        return settings.planning().dryRun() || addressedDirector(site).isPresent();
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

    /**
     * A node ends a job that is over its walltime by itself. What is not heard of long after that never started, or its
     * node says nothing true: it is taken back, or it would be waited for for ever.
     */
    public boolean isOverdue(JobRecord job, Instant now) {
        if (job.jobState() != JobState.RUNNING) {
            return false;
        }
        JobRun.Staged staged = job.run().staged();
        Checksum bundle = staged == null ? null : staged.bundle();
        Duration preparing = site(job.run().site())
                .plan
                .nodes()
                .registration()
                .plus(settings.spending().endingAllowance())
                .plusSeconds(bundle == null ? 0 : bundle.bytes() / SLOWEST_BYTES_PER_SECOND);
        return now.isAfter(job.since().plus(job.spec().walltime()).plus(preparing));
    }

    /** Why nothing can begin in a site now; none when its director is there or on its way. */
    public Cause siteObstacle(String site) {
        if (site.isEmpty() || settings.planning().dryRun() || director(site).isPresent()) {
            return Cause.NONE;
        }
        SiteState state = site(site);
        return new WaitCause.NoDirector(
                site, state.unusable().or(state.directorObstacle).or(state.trouble));
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

    public static JoinedNode joined(NodeRecord node) {
        return new JoinedNode(
                node.id(),
                node.site(),
                node.offering().instanceType(),
                node.inside(),
                node.resources(),
                node.profile().category(),
                fabricOf(node));
    }

    /** Nodes of one gang have the same one. */
    private static String fabricOf(NodeRecord node) {
        Fabric fabric = node.fabric();
        return fabric.name().isEmpty() ? "" : node.offering().zone() + "/" + fabric.name() + "/" + fabric.group();
    }

    /** Whether nothing new about a node that ended then can come from its site's director any more. */
    public boolean hasLastWord(String site, Instant then) {
        Optional<NodeRecord> director = director(site);
        Instant heard = site(site).syncedAt;
        return director.isEmpty() || (heard != null && heard.isAfter(then));
    }

    /** Since when a node has had no job; a head that starts again counts anew. */
    public Instant idleSince(NodeRecord node) {
        Instant last = sights.lastBusy(node.id());
        Instant busy = last == null ? startedAt : last;
        return busy.isAfter(node.since()) ? busy : node.since();
    }

    public List<String> standingOf(SitePlan plan, StandingCapacity capacity) {
        return StandingNodes.counted(plan, capacity, liveNodes(plan.name()));
    }

    /** Also asked by threads that answer questions, so the count is read before the nodes: at worst it is reckoned again. */
    @SuppressWarnings("ReferenceEquality")
    private StandingNodes standingNodes(SiteState site) {
        long changes = journal.nodeChanges();
        SitePlan plan = site.plan;
        StandingNodes known = site.standingNodes;
        if (known == null || known.changes() != changes || known.plan() != plan) {
            known = StandingNodes.of(
                    plan, changes, plan.nodes().standing().isEmpty() ? List.of() : liveNodes(plan.name()));
            site.standingNodes = known;
        }
        return known;
    }

    /** Whether it exists all the time, and runs only while something needs it. */
    public boolean isPooled(NodeRecord node) {
        return !node.care().keep() && standingNodes(site(node.site())).pooled().contains(node.id());
    }

    /** Whether it is stopped where another would be ended, and may be started for a job. */
    public boolean stops(NodeRecord node) {
        SitePlan plan = site(node.site()).plan;
        return (plan.nodes().idle().stop() || isPooled(node))
                && plan.provider().power().isPresent()
                && node.offering().market() != Market.SPOT
                && !node.care().parked()
                && !sights.wasNotStarted(node.id());
    }

    /** Whether the policy must not release it: its site or an administrator keeps it. */
    public boolean isStanding(NodeRecord node) {
        return node.care().keep() || standingNodes(site(node.site())).all().contains(node.id());
    }

    /** Several jobs may share a node. */
    public List<JobRecord> runningOn(String node) {
        return List.copyOf(journal.runningOn(node));
    }

    /** Whether it serves, and nothing runs there. */
    public boolean isFree(NodeRecord node) {
        return node.nodeState() == NodeState.READY && runningOn(node.id()).isEmpty() && !foreign.isAllocated(node.id());
    }

    /** Jobs that a node would be of use to, now or soon, in the order of their ids within each of the two states. */
    public List<JobRecord> waiting() {
        List<JobRecord> waiting = new ArrayList<>(journal.jobs(JobState.STAGING_IN));
        waiting.addAll(journal.jobs(JobState.QUEUED));
        return waiting;
    }

    /** Health of offerings, with what is launched no faster than it proves itself. */
    public List<OfferingStatus> cautious(List<OfferingStatus> statuses) {
        Set<OfferingId> offered = new HashSet<>();
        sites.values().forEach(site -> site.offerings.forEach(offering -> offered.add(offering.id())));
        Map<OfferingId, Integer> underWay = new HashMap<>();
        for (NodeRecord node : journal.liveNodes()) {
            boolean arrives = switch (node.nodeState()) {
                case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING -> !node.isDirector();
                default -> false;
            };
            if (arrives) {
                underWay.merge(node.offering(), 1, Integer::sum);
            }
        }
        return Proving.cut(
                statuses,
                offered,
                journal.outcomes(),
                journal.breakers(),
                underWay,
                settings.planning().breakers());
    }

    /** Whether a breaker is open for it, or for its site. */
    public boolean isShut(OfferingId offering) {
        return journal.breakers().stream()
                .anyMatch(breaker -> breaker.open()
                        && (breaker.name().equals(offering.site())
                                || breaker.name().equals(offering.toString())));
    }

    /** How many more nodes like that the workload manager can have; those that end count until they are gone. */
    public int room(Offering offering) {
        String type = offering.id().instanceType();
        int most = ports.workload()
                .nodeList()
                .map(its -> its.room(offering.id().site(), type))
                .orElse(Integer.MAX_VALUE);
        if (most == Integer.MAX_VALUE) {
            return most;
        }
        long exist = journal.liveNodes(offering.id().site()).stream()
                .filter(node ->
                        !node.isDirector() && node.offering().instanceType().equals(type))
                .count();
        return Math.max(0, most - (int) exist);
    }

    /** Offerings of a site that its nodes may be. Its director may be something else. */
    public List<Offering> nodeOfferings(SiteState site) {
        return site.offerings.stream()
                .filter(one -> ports.workload()
                                .nodeList()
                                .map(its -> its.room(one.id().site(), one.id().instanceType()))
                                .orElse(Integer.MAX_VALUE)
                        > 0)
                .toList();
    }

    /** How long a new node's price is reserved: to come up, to run its job, to idle, and to be ended. */
    public Duration nodeReservation(SitePlan site, Duration walltime) {
        return site.nodes()
                .registration()
                .plus(walltime)
                .plus(settings.spending().idleTime())
                .plus(settings.spending().endingAllowance());
    }

    /** How many nodes a site may have, with those that children have there taken away. */
    public int mostNodes(SitePlan site) {
        int delegated = journal.delegations().stream()
                .filter(one -> one.site().equals(site.name()))
                .mapToInt(DelegatedRecord::instances)
                .sum();
        return Math.max(0, site.nodes().most() - delegated);
    }

    public Money budgetLeft(Instant now) {
        Instant start = settings.spending().periodStart(now);
        return budget.minus(Spending.of(journal.nodes(), start, now))
                .minus(Spending.ofClusters(journal.clusters(), start))
                .minus(egress.of(start));
    }

    /** Whether an effect that failed or was only asked for may be begun again; remembers that it is. */
    public boolean mayAskAgain(String key, Instant now, Duration pause) {
        return calls.mayAskAgain(key, now, pause);
    }
}
