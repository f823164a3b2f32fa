package org.spillway.head.loop.supply;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.limits.Reclaims;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.Offers;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;
import org.spillway.policy.ScheduleWindow;
import org.spillway.scaler.DemandSource;
import org.spillway.scaler.Fleet;
import org.spillway.scaler.SpendLedger;
import org.spillway.scaler.plan.Breakers;
import org.spillway.scaler.plan.OfferingHealth;
import org.spillway.settings.Quantities;

/** The journal as the scaler wants to see it: shapes, nodes, money. */
public final class Supply implements DemandSource, Fleet, SpendLedger {
    private static final Comparator<JobRecord> OLDEST_FIRST =
            Comparator.comparing((JobRecord job) -> job.spec().submittedAt()).thenComparing(JobRecord::id);

    /** To a node without a category, while none was seen. */
    private static final Duration CHANGE = Duration.ofSeconds(60);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Offers offers;
    private final Purse purse;
    private final JobMemory memory;
    private final NodeMemory seen;
    private final ForeignJobs foreign;
    private final JobTerms terms;

    public Supply(
            World world,
            Sites sites,
            LiveNodes live,
            Offers offers,
            Purse purse,
            JobMemory memory,
            NodeMemory seen,
            ForeignJobs foreign) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.offers = offers;
        this.purse = purse;
        this.memory = memory;
        this.seen = seen;
        this.foreign = foreign;
        this.terms = new JobTerms(purse);
    }

    /**
     * The shape of a job: jobs of one shape are interchangeable to the planner. Those whose input takes longer to arrive
     * than a node to boot are a shape by themselves: nothing is launched for them yet.
     */
    private record Shape(
            String queue,
            String site,
            int nodes,
            Resources need,
            long walltimeSeconds,
            JobTerms.Kind kind,
            List<String> types,
            Set<Market> wanted,
            boolean far) {
        String text() {
            return queue + "@" + site + ": " + nodes + (nodes == 1 ? " node with " : " nodes, each with ") + need.cpus()
                    + (need.cpus() == 1 ? " cpu" : " cpus")
                    + (need.memoryBytes() == 0 ? "" : ", " + Quantities.writeBytes(need.memoryBytes()))
                    + (need.gpus() == 0 ? "" : ", " + need.gpus() + (need.gpus() == 1 ? " gpu" : " gpus"))
                    + (need.gpuModel().isEmpty() ? "" : " (" + need.gpuModel() + ")")
                    + (need.localDiskBytes() == 0 ? "" : ", disk " + Quantities.writeBytes(need.localDiskBytes()))
                    + ", for " + Quantities.write(Duration.ofSeconds(walltimeSeconds)) + kind.text()
                    + (types.isEmpty() ? "" : "+" + only(types)) + wantedText() + (far ? "+input" : "");
        }

        /** Of a job whose user wants fewer markets than its queue allows. */
        private String wantedText() {
            return wanted.isEmpty()
                    ? ""
                    : "+" + wanted.stream().sorted().map(Market::text).collect(Collectors.joining("|", "market:", ""));
        }
    }

    /**
     * The feature that stands for these types: planners know features that an offering has to have all, and no choice
     * among several. Offerings of these types have it while a job waits for it.
     */
    private static String only(List<String> types) {
        return "type:" + String.join("|", types);
    }

    private Shape shapeOf(JobRecord job) {
        JobSpec spec = job.spec();
        return new Shape(
                spec.queue(),
                job.run().site(),
                spec.nodes(),
                spec.resources(),
                spec.walltime().toSeconds(),
                terms.kind(job),
                spec.need().types(),
                spec.need().markets(),
                isFar(job));
    }

    /** The text of a job's shape. */
    public String shape(JobRecord job) {
        return shapeOf(job).text();
    }

    /** Ids of jobs that wait in a site, by the text of their shape, the oldest first. */
    public Map<String, List<String>> jobsByShape() {
        return world.journal().jobs().stream()
                .filter(job -> job.jobState() == JobState.QUEUED || job.jobState() == JobState.STAGING_IN)
                .sorted(OLDEST_FIRST)
                .collect(Collectors.groupingBy(this::shape, Collectors.mapping(JobRecord::id, Collectors.toList())));
    }

    /** Jobs by the text of their shape; shapes in the order in which they are first met. */
    Map<String, List<JobRecord>> byShape(Iterable<JobRecord> jobs) {
        // By the record first: there are few shapes, and a text for each of ten thousand jobs would take its time.
        Map<Shape, List<JobRecord>> shapes = new LinkedHashMap<>();
        jobs.forEach(job ->
                shapes.computeIfAbsent(shapeOf(job), shape -> new ArrayList<>()).add(job));
        Map<String, List<JobRecord>> texts = new LinkedHashMap<>();
        shapes.forEach((shape, members) -> texts.put(shape.text(), members));
        return texts;
    }

    private boolean isFar(JobRecord job) {
        Duration rest = stageInRest(job);
        return !rest.isZero() && rest.compareTo(boot(job.run().site())) > 0;
    }

    /** As the policy reckons: the longest of what the site offers. */
    private Duration boot(String site) {
        return sites.of(site).offerings().stream()
                .map(offering -> seen.bootTimes().of(offering.id()))
                .max(Comparator.naturalOrder())
                .orElse(OfferingHealth.DEFAULT_BOOT);
    }

    /** How long the rest of its input takes to its site; zero when there is none, and while its size is not known. */
    Duration stageInRest(JobRecord job) {
        if (job.jobState() != JobState.STAGING_IN) {
            return Duration.ZERO;
        }
        long rest = memory.transfers().inputBytes(job.id()) - memory.transfers().movedIn(job.id());
        return rest <= 0
                ? Duration.ZERO
                : Duration.ofMillis(rest
                        * 1000
                        / memory.transfers().bytesPerSecond(job.run().site()));
    }

    /** Jobs whose site has a director that nodes can be told of, and whose input is there or on the way. */
    @Override
    public List<Demand> demands(Instant now) {
        Set<String> open = new HashSet<>();
        sites.names().stream().filter(sites::mayPlan).forEach(open::add);
        List<JobRecord> waiting = world.waiting();
        waiting.removeIf(job -> !open.contains(job.run().site())
                || memory.unpaid().isRefused(job.id(), now)
                || !foreign.wantsNodes(job, now)
                || memory.failing().isStageIn(job.id()));
        List<Demand> demands = new ArrayList<>();
        byShape(waiting).forEach((shape, jobs) -> {
            JobSpec first = Collections.min(jobs, OLDEST_FIRST).spec();
            String site = jobs.getFirst().run().site();
            demands.add(Demand.of(draft -> {
                draft.shape = shape;
                draft.queue = first.queue();
                draft.perNode = first.resources();
                draft.nodes = first.nodes();
                draft.jobs = jobs.size();
                draft.oldestSubmit = first.submittedAt();
                draft.walltime = first.walltime();
                draft.sites = List.of(site);
                draft.features = features(first);
                draft.stageInRest = Map.of(
                        site,
                        jobs.stream()
                                .map(this::stageInRest)
                                .min(Comparator.naturalOrder())
                                .orElse(Duration.ZERO));
                draft.terms = terms.of(jobs.getFirst());
            }));
        });
        demands.sort(Comparator.comparing(Demand::oldestSubmit).thenComparing(Demand::shape));
        return demands;
    }

    private Set<String> features(JobSpec spec) {
        Set<String> features = new HashSet<>();
        if (!spec.need().types().isEmpty()) {
            features.add(only(spec.need().types()));
        }
        String category = world.settings().roles().of(spec.queue());
        if (!category.isEmpty()) {
            features.add(Demand.CATEGORY + category);
        }
        features.addAll(Market.features(world.settings().markets().of(spec)));
        return features;
    }

    @Override
    public ClusterSnapshot.Changeable changeable() {
        return world.settings().roles().changeable(CHANGE, seen.bootTimes().changes());
    }

    @Override
    public List<NodeView> nodes() {
        Map<String, Resources> used = new HashMap<>();
        Map<String, Instant> ends = new HashMap<>();
        for (JobRecord job : world.journal().jobs(JobState.RUNNING)) {
            Instant end = job.since().plus(job.spec().walltime());
            job.run().ranks().stream()
                    .filter(rank -> !rank.isOver())
                    .forEach(rank -> ends.merge(rank.node(), end, (a, b) -> a.isAfter(b) ? a : b));
            job.run().ranks().stream()
                    .filter(rank -> !rank.isOver())
                    .forEach(rank -> used.merge(rank.node(), live.taken(job, rank.node()), Resources::plus));
        }
        // Nodes that another manager has given to a job are not free, though the job was not bound yet.
        for (JobRecord job : world.journal().jobs()) {
            if (job.jobState() != JobState.RUNNING) {
                foreign.allocation(job).forEach(node -> used.merge(node, live.taken(job, node), Resources::plus));
            }
        }
        List<NodeView> views = new ArrayList<>();
        for (NodeRecord node : live.nodes()) {
            if (!node.isDirector()) {
                Resources taken = used.get(node.id());
                views.add(new NodeView(
                        node.id(),
                        node.site(),
                        node.offering(),
                        phase(node, taken != null),
                        node.resources(),
                        taken == null ? node.resources() : LiveNodes.without(node.resources(), taken),
                        live.idleSince(node),
                        node.pricePerHour(),
                        live.isStanding(node) && !(node.nodeState() != NodeState.STOPPED && live.isPooled(node)),
                        new NodeView.Duty(
                                ends.get(node.id()),
                                node.profile().category(),
                                Set.copyOf(node.profile().overlays()),
                                node.costFrom(),
                                live.stops(node),
                                node.profile().fixed(),
                                node.fabric())));
            }
        }
        return views;
    }

    private static NodeView.Phase phase(NodeRecord node, boolean allocated) {
        return switch (node.nodeState()) {
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING, REPURPOSING -> NodeView.Phase.IN_FLIGHT;
            case READY -> allocated ? NodeView.Phase.ALLOCATED : NodeView.Phase.IDLE;
            case STOPPED -> NodeView.Phase.STOPPED;
            case STOPPING, DRAINING, TERMINATING, TERMINATED, UNREACHABLE, RECLAIMING, FAILED ->
                NodeView.Phase.DRAINING;
        };
    }

    @Override
    public List<Offering> offerings() {
        List<Offering> all = new ArrayList<>();
        sites.all().stream()
                .filter(site -> sites.mayPlan(site.plan.name()))
                .forEach(site -> offers.offerings(site).stream()
                        .filter(offering -> offers.room(offering) > 0 || isStopped(offering))
                        .map(purse.capping()::counted)
                        .map(world.settings().roles()::marked)
                        .forEach(all::add));
        return withChoices(all);
    }

    /** With a feature for each choice of types that a waiting job makes and that they belong to. */
    private List<Offering> withChoices(List<Offering> offerings) {
        Set<List<String>> choices = new HashSet<>();
        Set<Set<Market>> markets = new HashSet<>();
        for (JobRecord job : world.waiting()) {
            if (!job.spec().need().types().isEmpty()) {
                choices.add(job.spec().need().types());
            }
            markets.add(world.settings().markets().of(job.spec()));
        }
        if (choices.isEmpty()) {
            return inMarkets(offerings, markets);
        }
        return inMarkets(offerings, markets).stream()
                .map(offering -> {
                    String type = offering.id().site() + "/" + offering.id().instanceType();
                    Set<String> features = new HashSet<>(offering.features());
                    choices.stream().filter(types -> types.contains(type)).forEach(types -> features.add(only(types)));
                    return offering.withFeatures(features);
                })
                .toList();
    }

    /** With the features of their markets that waiting jobs ask for. */
    private List<Offering> inMarkets(List<Offering> offerings, Set<Set<Market>> asked) {
        return offerings.stream()
                .map(offering -> world.settings().markets().marked(offering, asked))
                .toList();
    }

    /** A stopped node of the offering can be started, though the workload manager has no room for another. */
    private boolean isStopped(Offering offering) {
        return live.nodes(offering.id().site()).stream()
                .anyMatch(node -> node.nodeState() == NodeState.STOPPED
                        && !node.isDirector()
                        && node.offering().equals(offering.id())
                        && live.stops(node));
    }

    @Override
    public List<LaunchRecord> launches() {
        return world.journal().launches();
    }

    /** From the launch call to readiness, as seen in this head's life: the latest of each offering. */
    @Override
    public Map<OfferingId, Duration> bootEstimates() {
        return Map.copyOf(seen.bootTimes().all());
    }

    @Override
    public Map<OfferingId, Double> reclaimsPerHour(Instant now) {
        return Reclaims.perHour(world.journal().nodes(), now);
    }

    @Override
    public List<ClusterSnapshot.Share> shares(List<Demand> demands, Instant now) {
        return purse.history().shares(world.journal().jobs(JobState.RUNNING), demands, now);
    }

    @Override
    public List<OfferingStatus> cautious(List<OfferingStatus> statuses, Instant now) {
        return offers.cautious(statuses, now);
    }

    @Override
    public List<Limits.Limit> limits(List<Demand> demands, Instant now) {
        return purse.capping().limits(demands, now);
    }

    @Override
    public List<ClusterSnapshot.Breaker> breakers(Instant now) {
        return Breakers.open(world.journal().breakers(), now);
    }

    @Override
    public Map<String, Integer> maxNodes() {
        Map<String, Integer> most = new HashMap<>();
        sites.all().forEach(site -> most.put(site.plan.name(), offers.most(site.plan)));
        return most;
    }

    @Override
    public Money left(Instant now) {
        return purse.left(now);
    }

    @Override
    public Optional<Limits.Period> period(Instant now) {
        LoopSettings settings = world.settings();
        return Optional.of(new Limits.Period(
                purse.budget(),
                settings.spending().periodStart(now),
                settings.spending().periodEnd(now)));
    }

    @Override
    public List<ScheduleWindow> windows(Instant now) {
        return world.settings().planning().schedule().open(now);
    }
}
