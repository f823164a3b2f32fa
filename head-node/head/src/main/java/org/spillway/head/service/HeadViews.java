package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.api.CauseView;
import org.spillway.api.ExplainView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.NodeExplainView;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.api.PlanView;
import org.spillway.api.QueueView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendPartsView;
import org.spillway.api.SpendView;
import org.spillway.head.cause.Cause;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.explain.Explanation;
import org.spillway.head.explain.JobFacts;
import org.spillway.head.explain.NodeFacts;
import org.spillway.head.explain.NodeStory;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.Standing;
import org.spillway.head.loop.money.Bill;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.head.loop.money.History;
import org.spillway.head.loop.money.Spending;
import org.spillway.head.loop.state.Attested;
import org.spillway.head.rollout.DriftWord;
import org.spillway.head.staging.HomeReads;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Breakers;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;
import org.spillway.stage.Checksum;

/** The journal as REST shows it. Any thread; each answer is of one moment, nearly. */
final class HeadViews {
    /** In one step of a plan. */
    private static final int MOST_JOBS = 100;

    private final HeadConfig config;
    private final Journal journal;
    private final Loop loop;
    private final JobDetails details;
    private final Supplier<Cause> directory;

    /** @param directory why users may be out of date */
    HeadViews(HeadConfig config, Journal journal, Loop loop, HomeReads homes, Supplier<Cause> directory) {
        this.config = config;
        this.journal = journal;
        this.loop = loop;
        this.directory = directory;
        this.details = new JobDetails(journal, loop, homes);
    }

    JobView job(JobRecord job, Instant now) {
        JobSpec spec = job.spec();
        JobRun run = job.run();
        Standing standing = loop.standing(job);
        Cause cause = standing.cause();
        return new JobView(
                job.id(),
                spec.array() == null ? "" : spec.array().id(),
                spec.name(),
                spec.project(),
                spec.queue(),
                run.site(),
                spec.user(),
                spec.uid(),
                job.jobState(),
                cause.text(),
                run.attempt(),
                run.nodes(),
                spec.nodes(),
                spec.resources().cpus(),
                spec.resources().memoryBytes(),
                spec.resources().gpus(),
                spec.resources().gpuModel(),
                spec.walltime().toSeconds(),
                spec.priority(),
                spec.submittedAt(),
                startedAt(job),
                job.isLive() ? run.endedAt() : endedAt(job),
                run.exitCode(),
                bytesIn(run),
                History.left(run),
                cost(job, now),
                CauseViews.of(cause),
                spec.terms().account(),
                standing.start());
    }

    private static @Nullable Instant startedAt(JobRecord job) {
        Instant told = job.run().startedAt();
        return told == null && job.jobState() == JobState.RUNNING ? job.since() : told;
    }

    private static Instant endedAt(JobRecord job) {
        Instant told = job.run().endedAt();
        return told == null ? job.since() : told;
    }

    private static long bytesIn(JobRun run) {
        JobRun.Staged staged = run.staged();
        Checksum bundle = staged == null ? null : staged.bundle();
        return bundle == null ? 0 : bundle.bytes();
    }

    /** Of each of its nodes the share of the price that its CPUs or GPUs are, whichever is larger, while it ran; and its results. */
    private Money cost(JobRecord job, Instant now) {
        Instant from = startedAt(job);
        if (from == null) {
            return egress(job);
        }
        Instant to = job.jobState() == JobState.RUNNING ? now : endedAt(job);
        Duration time = to.isAfter(from) ? Duration.between(from, to) : Duration.ZERO;
        Money sum = Money.ZERO;
        for (String id : job.run().nodes()) {
            NodeRecord node = journal.node(id).orElse(null);
            if (node != null) {
                long cpuShare =
                        share(job.spec().resources().cpus(), node.resources().cpus());
                long gpuShare =
                        share(job.spec().resources().gpus(), node.resources().gpus());
                Money whole = node.pricePerHour().perHourFor(time);
                sum = sum.plus(new Money(whole.micros() * Math.max(cpuShare, gpuShare) / 1000));
            }
        }
        return sum.plus(egress(job));
    }

    /** The site's price for the job's results, from the end of its run on. */
    private Money egress(JobRecord job) {
        HeadConfig.Site site = config.sites().get(job.run().site());
        boolean over = !job.isLive() || job.jobState() == JobState.STAGING_OUT;
        return site == null || !over ? Money.ZERO : site.egressPerGigabyte().perGigabyteFor(History.left(job.run()));
    }

    private static long share(int part, int whole) {
        return whole == 0 ? 0 : Math.min(1000, 1000L * part / whole);
    }

    JobDetail detail(JobRecord job, Instant now) {
        return details.of(job, job(job, now));
    }

    /** While it waits, what was noted at its admission is part of the answer: it may wait because of that. */
    ExplainView explain(JobRecord job, JobFacts facts, Instant now) {
        String sentence = Explanation.of(facts, now);
        Cause cause = loop.standing(job).cause();
        Cause note = facts.life().state().waitsToStart()
                ? journal.store().timeline("job", job.id()).getFirst().cause()
                : Cause.NONE;
        return new ExplainView(
                job.id(),
                facts.life().state(),
                note.isNone() || note.equals(cause) ? sentence : sentence + "; " + note.text(),
                facts.moved().inBytes(),
                facts.moved().totalBytes(),
                facts.expectedStart(),
                CauseViews.of(cause));
    }

    NodeExplainView explainNode(NodeFacts facts, Instant now) {
        return new NodeExplainView(
                facts.id(),
                facts.life().state(),
                NodeStory.of(facts, now),
                facts.bought().decision());
    }

    List<QueueView> queues() {
        return config.queues().values().stream()
                .map(queue -> {
                    int waiting = 0;
                    int running = 0;
                    for (JobRecord job : journal.jobs()) {
                        if (job.spec().queue().equals(queue.name())) {
                            running += job.jobState().hasStarted() ? 1 : 0;
                            waiting += job.jobState().waitsToStart() ? 1 : 0;
                        }
                    }
                    return new QueueView(
                            queue.name(),
                            queue.sites(),
                            config.defaultQueue().filter(queue::equals).isPresent(),
                            queue.maxWalltime().toSeconds(),
                            waiting,
                            running,
                            queue.markets().stream().map(Market::text).sorted().toList());
                })
                .toList();
    }

    List<NodeView> nodes() {
        return journal.nodes().stream()
                .sorted(Comparator.comparing(NodeRecord::isLive)
                        .reversed()
                        .thenComparing(NodeRecord::site)
                        .thenComparing(NodeRecord::id))
                .map(this::node)
                .toList();
    }

    NodeView node(NodeRecord node) {
        List<String> jobs =
                journal.runningOn(node.id()).stream().map(JobRecord::id).toList();
        return NodeView.of(view -> {
            view.id = node.id();
            view.site = node.site();
            view.role = node.isDirector() ? "director" : "node";
            view.state = node.nodeState();
            view.offering = node.offering().zone() + "/" + node.offering().instanceType() + "/"
                    + node.offering().market();
            view.instance = node.instance() == null ? "" : node.instance();
            view.address = node.address();
            view.since = node.since();
            view.pricePerHour = node.pricePerHour();
            view.reason =
                    node.cause().isNone() && node.care().parked() ? "drained: it gets no further jobs" : node.reason();
            view.image = loop.heard(node.site()).imageOf(node.id());
            Attested root = loop.heard(node.site()).rootOf(node.id());
            view.version = root.version();
            view.kernel = root.kernel();
            DriftWord drift = loop.heard(node.site()).driftOf(node.id());
            view.drift = drift.kind() == DriftWord.Kind.NONE ? "" : drift.kind().name();
            view.driftText = drift.text();
            view.keep = node.care().keep();
            view.jobs = jobs;
            view.category = node.profile().category();
            view.overlays = node.profile().overlays();
            view.becomes = node.care().next() == null ? "" : node.care().next().text();
            view.fixed = node.profile().fixed();
            view.cause = CauseViews.of(node.cause());
        });
    }

    List<SiteView> sites() {
        return config.sites().values().stream().map(this::site).toList();
    }

    private SiteView site(HeadConfig.Site site) {
        CauseView cause = CauseViews.of(loop.trouble(site.name()));
        Collection<NodeRecord> live = journal.liveNodes(site.name());
        Optional<NodeRecord> director =
                journal.liveDirectors(site.name()).stream().findFirst();
        int nodes = (int) live.stream()
                .filter(node -> !node.isDirector() && node.nodeState().mayCost())
                .count();
        int jobs = journal.jobsOf(site.name()).size();
        return new SiteView(
                site.name(),
                site.driver(),
                site.home(),
                director.map(NodeRecord::nodeState).map(HeadViews::siteState).orElse("idle"),
                director.map(NodeRecord::id).orElse(""),
                director.map(NodeRecord::address).orElse(""),
                nodes,
                loop.maxNodes(site.name()),
                jobs,
                loop.image(),
                loop.heard(site.name()).images(),
                loop.heard(site.name()).replica().entries(),
                loop.heard(site.name()).replica().connected(),
                cause.text(),
                cause,
                CallsViews.of(loop.calls(site.name())),
                CauseViews.of(directory.get()));
    }

    private static String siteState(NodeState director) {
        return switch (director) {
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING -> "starting";
            case READY -> "up";
            case UNREACHABLE -> "away";
            case DRAINING, STOPPING, STOPPED, TERMINATING, TERMINATED, RECLAIMING, REPURPOSING, FAILED -> "ending";
        };
    }

    PlanView plan(Plan plan, Instant now) {
        Map<String, List<String>> shapes = loop.jobsByShape();
        Stream<PlanView.StepView> steps = plan.steps().stream().map(step -> switch (step) {
            case Step.Launch launch ->
                PlanView.StepView.of(view -> {
                    view.action = "launch";
                    view.target = launch.offering().toString();
                    view.count = launch.count();
                    view.jobs = jobs(shapes, launch.shapes());
                    view.committed = launch.committed();
                    view.reason = launch.reason();
                    view.egress = loop.egressOfOne(jobs(shapes, launch.shapes()));
                });
            case Step.Release release ->
                PlanView.StepView.of(view -> {
                    view.action = "release";
                    view.target = release.node();
                    view.count = 1;
                    view.reason = release.reason();
                });
            case Step.Power power ->
                PlanView.StepView.of(view -> {
                    view.action = power.on() ? "power-on" : "power-off";
                    view.target = power.node();
                    view.count = 1;
                    view.jobs = jobs(shapes, power.shapes());
                    view.committed = power.committed();
                    view.reason = power.reason();
                    view.egress = loop.egressOfOne(jobs(shapes, power.shapes()));
                });
            case Step.Repurpose change ->
                PlanView.StepView.of(view -> {
                    view.action = "repurpose";
                    view.target = change.node() + " as " + (change.category().isEmpty() ? "(none)" : change.category());
                    view.count = 1;
                    view.jobs = jobs(shapes, change.shapes());
                    view.committed = change.committed();
                    view.reason = change.reason();
                    view.egress = loop.egressOfOne(jobs(shapes, change.shapes()));
                });
            case Step.Overlay change ->
                PlanView.StepView.of(view -> {
                    view.action = change.join() ? "join-overlay" : "leave-overlay";
                    view.target = change.node() + " " + change.overlay();
                    view.count = 1;
                    view.reason = change.reason();
                });
            case Step.Hold hold ->
                PlanView.StepView.of(view -> {
                    view.action = "hold";
                    view.target = hold.shape();
                    view.jobs = jobs(shapes, List.of(hold.shape()));
                    view.reason = hold.reason();
                });
        });
        return new PlanView(
                plan.at(),
                plan.policy(),
                Stream.of(breakers(), steps, unbound().stream())
                        .flatMap(any -> any)
                        .toList(),
                spend(now),
                config.scaler().dryRun());
    }

    private Stream<PlanView.StepView> breakers() {
        return Breakers.sorted(journal.breakers()).stream()
                .filter(Breakers.State::open)
                .map(state -> PlanView.StepView.of(view -> {
                    view.action = "breaker";
                    view.target = state.id();
                    view.reason = "open since " + state.since() + ": " + state.reason() + "; " + Breakers.remedy(state);
                }));
    }

    /**
     * Jobs that no site was found for yet, that wait for others, or whose site has no director and so is not asked for
     * nodes, by their queue and what they wait for.
     */
    private List<PlanView.StepView> unbound() {
        Map<List<String>, List<String>> waiting = new LinkedHashMap<>();
        journal.jobs().stream()
                .filter(this::isUnplanned)
                .sorted(Comparator.comparing((JobRecord job) -> job.spec().submittedAt())
                        .thenComparing(JobRecord::id))
                .forEach(job -> {
                    String reason = loop.standing(job).cause().text();
                    waiting.computeIfAbsent(List.of(job.spec().queue(), reason), any -> new ArrayList<>())
                            .add(job.id());
                });
        return waiting.entrySet().stream()
                .map(one -> PlanView.StepView.of(view -> {
                    view.action = "hold";
                    view.target = one.getKey().getFirst();
                    view.jobs = one.getValue().stream().limit(MOST_JOBS).toList();
                    view.reason = one.getKey().getLast();
                }))
                .toList();
    }

    private boolean isUnplanned(JobRecord job) {
        return switch (job.jobState()) {
            case SUBMITTED, HELD -> true;
            case STAGING_IN, QUEUED -> !loop.siteObstacle(job.run().site()).isNone();
            case RUNNING, STAGING_OUT, DONE, FAILED, CANCELLED -> false;
        };
    }

    private static List<String> jobs(Map<String, List<String>> byShape, List<String> shapes) {
        return shapes.stream()
                .flatMap(shape -> byShape.getOrDefault(shape, List.of()).stream())
                .limit(MOST_JOBS)
                .toList();
    }

    SpendPartsView spendParts(Instant now) {
        BudgetPeriod period = BudgetPeriod.valueOf(config.budget().period().name());
        return SpendParts.of(journal, config.currency(), period, period.start(now, config.timeZone()), now);
    }

    SpendView spend(Instant now) {
        BudgetPeriod period = BudgetPeriod.valueOf(config.budget().period().name());
        Instant since = period.start(now, config.timeZone());
        Money all = Spending.of(journal.nodes(), since, now).plus(Spending.ofClusters(journal.clusters(), since));
        Money brought = Spending.ofEgress(journal.egress(), since);
        Money results = loop.egressCommitted();
        Money accrued = Bill.total(SpendParts.facts(journal, List.of()), since, now);
        Money unknown = Spending.ofUnknown(journal.recoveries(), since, now);
        all = all.plus(brought).plus(results).plus(unknown);
        Money limit = loop.budget();
        return new SpendView(
                config.currency(),
                period.name().toLowerCase(java.util.Locale.ROOT),
                since,
                limit,
                accrued,
                all.minus(accrued),
                limit.minus(all),
                brought.plus(results),
                unknown);
    }
}
