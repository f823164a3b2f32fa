package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.limits.Charge;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.Capping;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.Finder;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.head.past.AttemptNumbers;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ReleasedJob;
import org.spillway.head.workload.WorkloadUnavailable;
import org.spillway.head.workload.WorkloadView;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/** Attempts: given to nodes all at once, followed node by node, and over when every part has ended or is lost. */
public final class Attempts {
    private static final Logger LOG = LoggerFactory.getLogger(Attempts.class);
    private static final Duration WARNED = Duration.ofMinutes(1);
    private static final Set<NodeState> READY = EnumSet.of(NodeState.READY);
    /** Another manager may give a job to a node before it hears that no more should come there. */
    private static final Set<NodeState> SERVING = EnumSet.of(NodeState.READY, NodeState.DRAINING);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Purse purse;
    private final JobMemory memory;
    private final ForeignJobs foreign;
    private final Results results;
    private final Syncing syncing;
    private final RunningOutput output;
    private final Predicate<JobRun> over;
    private final Map<String, ReleasedJob> told = new HashMap<>();
    /** When it was last said aloud that the workload manager does not answer. */
    private @Nullable Instant warned;

    /** As they were when the workload manager was told of them, or told that they do not wait. */
    private final Map<String, JobRecord> seen = new HashMap<>();

    Attempts(
            World world,
            Sites sites,
            LiveNodes live,
            Purse purse,
            JobMemory memory,
            ForeignJobs foreign,
            Results results,
            Syncing syncing,
            RunningOutput output,
            Predicate<JobRun> over) {
        this.over = over;
        this.syncing = syncing;
        this.output = output;
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.purse = purse;
        this.memory = memory;
        this.foreign = foreign;
        this.results = results;
    }

    /** Ends are taken in before nodes are judged: a node that is gone now may have finished its part before. */
    void collectEnded(Instant now) {
        Map<String, Map<String, List<Report.JobReport>>> heard = new HashMap<>();
        for (JobRecord job : List.copyOf(world.journal().jobs(JobState.RUNNING))) {
            Report report = sites.of(job.run().site()).report;
            if (report != null) {
                List<Report.JobReport> ours = heard.computeIfAbsent(
                                job.run().site(),
                                site -> report.jobs().stream().collect(Collectors.groupingBy(Report.JobReport::job)))
                        .getOrDefault(job.id(), List.of());
                collect(job, report, ours, now);
            }
        }
    }

    private void collect(JobRecord job, Report report, List<Report.JobReport> all, Instant now) {
        JobRun run = job.run();
        for (Report.JobReport heard : all) {
            boolean ours = heard.attempt() == run.attempt() && run.has(heard.node());
            if (ours) {
                switch (heard.phase()) {
                    case ENDED, REFUSED -> run = run.ended(heard.node(), RankEnd.of(job, heard, report.store(), now));
                    case ACCEPTED, RUNNING -> {
                        syncing.hear(job, heard, now);
                        output.hear(job, heard, now);
                    }
                }
            }
        }
        if (!run.equals(job.run())) {
            advance(job.with(run), now);
        }
    }

    /** Nodes that are no more are lost to the job when the director's word on them has been heard, or none can come. */
    void strand(JobRecord job, Instant now) {
        JobRun run = job.run();
        for (JobRun.Rank rank : job.run().ranks()) {
            Optional<NodeRecord> node = world.journal().node(rank.node());
            boolean gone = node.isEmpty() || !node.get().isLive();
            Instant then = node.map(NodeRecord::since).orElse(world.startedAt());
            if (!rank.isOver() && gone && sites.hasLastWord(job.run().site(), then)) {
                run = run.lost(rank.node());
            }
        }
        if (!run.equals(job.run())) {
            advance(job.with(run), now);
        }
    }

    /** The lease of this node is certainly over: nothing of the job runs there any more. */
    JobRecord lost(JobRecord job, String node, Instant now) {
        return next(job.with(job.run().lost(node)), now);
    }

    private void advance(JobRecord job, Instant now) {
        JobRecord next = next(job, now);
        world.journal().commit(now, next);
        committed(next);
    }

    /** To be called when such a step is durable. */
    public void committed(JobRecord next) {
        if (next.jobState() != JobState.RUNNING) {
            withdraw(next.id());
        }
        if (!next.isLive()) {
            results.forget(next);
        }
    }

    private JobRecord next(JobRecord job, Instant now) {
        JobRun run = job.run();
        // A foreign job's manager decides on what follows.
        if (!over.test(run) || ForeignJobs.isForeign(job)) {
            return job;
        }
        if (!run.isLost()) {
            return AfterNotice.next(job, world.settings().maxAttempts(), this::perHour, now)
                    .orElseGet(() -> job.to(JobState.STAGING_OUT, cause(run), now));
        }
        String lost = run.ranks().stream()
                .filter(rank -> rank.lost() && rank.end() == null)
                .map(JobRun.Rank::node)
                .findFirst()
                .orElse("");
        JobRecord kept = AfterLoss.kept(job, this::perHour);
        JobRecord again =
                world.journal().node(lost).filter(AfterNotice::wasNoticed).isPresent()
                        ? results.again(AfterNotice.counted(kept), new JobCause.TakenBack(lost, false), now)
                        : results.again(kept, lost.isEmpty() ? JobFact.NODE_LOST : new JobCause.LostNode(lost), now);
        boolean anyResults =
                run.ranks().stream().map(JobRun.Rank::end).anyMatch(end -> end != null && end.results() != null);
        // Results of the other nodes of a gang come home when there will be no further attempt.
        return !again.isLive() && anyResults ? job.to(JobState.STAGING_OUT, again.cause(), now) : again;
    }

    private Money perHour(String node) {
        return world.journal().node(node).map(NodeRecord::pricePerHour).orElse(Money.ZERO);
    }

    private static Cause cause(JobRun run) {
        return run.firstFailure().map(JobRun.End::cause).orElse(Cause.NONE);
    }

    void withdraw(String job) {
        seen.remove(job);
        if (told.remove(job) != null) {
            world.ports().workload().jobs().withdraw(job);
        }
    }

    /** Says to the workload manager what may be given to nodes, and takes what it has given. */
    void allocate(GivenJobs foreign, List<WaitFinding> found, Instant now) {
        tell(found, now);
        try {
            WorkloadView view = world.ports().workload().poll(now);
            found.addAll(foreign.take(view, false, now));
            for (WorkloadView.Allocation allocation : view.allocations()) {
                world.journal()
                        .job(allocation.job())
                        .filter(job -> job.jobState() == JobState.QUEUED
                                && !ForeignJobs.isForeign(job)
                                && before(job) + 1 == allocation.attempt()
                                && allocation.nodes().size() == job.spec().nodes()
                                && isStaged(job))
                        .ifPresent(job -> ready(allocation.nodes(), job.run().site(), READY)
                                .filter(nodes -> isOfItsMarkets(job, nodes, found))
                                .ifPresent(nodes -> bind(job, nodes, found, now)));
            }
        } catch (WorkloadUnavailable away) {
            isAway(away, now);
        }
    }

    /** Once a minute, as it is asked in every tick. */
    private void isAway(WorkloadUnavailable away, Instant now) {
        if (warned == null || !now.isBefore(warned.plus(WARNED))) {
            warned = now;
            LOG.warn("the workload manager does not answer: {}", away.getMessage());
        } else {
            LOG.debug("the workload manager does not answer: {}", away.getMessage());
        }
    }

    /** Nothing new begins, and what runs of foreign jobs ends as their manager says. */
    void listen(GivenJobs foreign, List<WaitFinding> found, Instant now) {
        try {
            if (foreign.isUsed()) {
                found.addAll(foreign.take(world.ports().workload().poll(now), true, now));
            }
        } catch (WorkloadUnavailable away) {
            isAway(away, now);
        }
    }

    /**
     * The job's manager has given it these nodes: its processes wait there until the attempt is journalled and paid.
     */
    public void bindForeign(JobRecord job, List<String> ids, List<WaitFinding> found, Instant now) {
        ForeignJob said = foreign.said(job.spec().foreign());
        if (said != null
                && said.status() instanceof ForeignJob.Status.Allocated allocated
                && !isKnown(job.run(), allocated)
                && !memory.unpaid().isRefused(job.id(), now)
                && isStaged(job)) {
            JobRun.Foreign run = new JobRun.Foreign(said.number(), allocated.restarts(), allocated.since());
            if (sites(ids).size() > 1) {
                found.add(new WaitFinding(job.id(), Finder.START, new WaitCause.SitesMixed(List.copyOf(sites(ids)))));
                return;
            }
            ready(ids, job.run().site(), SERVING)
                    .filter(nodes -> isOfItsMarkets(job, nodes, found))
                    .ifPresent(nodes -> bind(
                            job.with(job.spec().on(nodes.size())).with(job.run().withForeign(run)), nodes, found, now));
        }
    }

    /** A run that has had its attempt: a manager that was killed may take it for one that still runs, and nothing waits there. */
    private static boolean isKnown(JobRun run, ForeignJob.Status.Allocated allocated) {
        JobRun.Foreign known = run.foreign();
        return run.attempt() > 0
                && known != null
                && known.restarts() == allocated.restarts()
                && allocated.since().equals(known.since());
    }

    private void tell(List<WaitFinding> found, Instant now) {
        Map<String, Cause> unlicensed = purse.capping().unlicensed();
        unlicensed.forEach((job, why) -> found.add(new WaitFinding(job, Finder.LICENCE, why)));
        for (JobRecord job : world.journal().jobs()) {
            // Nodes that a foreign job waits for in its prolog are not taken back from it.
            boolean unpaid = unlicensed.containsKey(job.id())
                    || (!ForeignJobs.isForeign(job) && memory.unpaid().isRefused(job.id(), now));
            // Most have not changed since; one that the budget refused may be paid any time.
            if (unpaid || !job.equals(seen.get(job.id()))) {
                tell(job, job.jobState() == JobState.QUEUED && !unpaid);
            }
            if (!unpaid) {
                seen.put(job.id(), job);
            }
        }
    }

    private void tell(JobRecord job, boolean waits) {
        if (waits || job.jobState() == JobState.RUNNING) {
            ReleasedJob current = ComingInputs.released(
                    world, job, waits ? before(job) : job.run().attempt());
            if (!current.equals(told.put(job.id(), current))) {
                world.ports().workload().jobs().release(current);
            }
        } else {
            withdraw(job.id());
        }
    }

    private int before(JobRecord job) {
        return AttemptNumbers.before(
                job.run().attempt(), world.journal().store().standing().epoch());
    }

    private Set<String> sites(List<String> ids) {
        return ids.stream()
                .flatMap(id -> world.journal().node(id).stream())
                .map(NodeRecord::site)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Optional<List<NodeRecord>> ready(List<String> ids, String site, Set<NodeState> states) {
        List<NodeRecord> nodes = ids.stream()
                .flatMap(id -> world.journal().node(id).stream())
                .filter(node -> states.contains(node.nodeState()) && node.site().equals(site))
                .toList();
        return nodes.size() == ids.size() ? Optional.of(nodes) : Optional.empty();
    }

    /** The last look, whoever chose these nodes and whenever the configuration was another. */
    private boolean isOfItsMarkets(JobRecord job, List<NodeRecord> nodes, List<WaitFinding> found) {
        Set<Market> allowed = world.settings().markets().of(job.spec());
        List<String> others = nodes.stream()
                .filter(node -> !allowed.contains(node.offering().market()))
                .map(NodeRecord::id)
                .toList();
        if (!others.isEmpty()) {
            found.add(new WaitFinding(job.id(), Finder.START, new WaitCause.NodesOfOtherMarkets(others)));
        }
        return others.isEmpty();
    }

    private long weight(String site) {
        return world.journal().jobs().stream()
                .filter(job -> job.run().site().equals(site))
                .filter(job -> job.jobState() == JobState.RUNNING || job.jobState() == JobState.STAGING_OUT)
                .mapToLong(job -> Orders.weight(job.spec()))
                .sum();
    }

    /** Verified in the store that its nodes will read from; while no director is heard, nothing is known of that. */
    private boolean isStaged(JobRecord job) {
        String store = sites.store(sites.of(job.run().site()));
        JobRun.Staged staged = job.run().staged();
        return store != null
                && Checkpoints.isThere(job, store)
                && (job.spec().inputs().isEmpty()
                        || (staged != null && staged.store().equals(store)));
    }

    private void bind(JobRecord waiting, List<NodeRecord> nodes, List<WaitFinding> found, Instant now) {
        JobRecord held = waiting.with(
                waiting.run().heldIn(sites.store(sites.of(waiting.run().site()))));
        JobRecord job = purse.lifespan().cut(held, now);
        Instant until = now.plus(job.spec().walltime())
                .plus(world.settings().spending().idleTime())
                .plus(world.settings().spending().endingAllowance());
        Instant period = world.settings().spending().periodStart(now);
        switch (Start.of(job, nodes, means(job, now), until, period, now)) {
            case Start.Refused(Cause why, Duration pause) -> {
                found.add(new WaitFinding(job.id(), Finder.START, why));
                if (!pause.isZero()) {
                    memory.unpaid().refuse(job.id(), now.plus(pause));
                }
            }
            case Start.Begun(JobRecord begun, List<Entry> entries) -> {
                found.add(WaitFinding.nothing(job.id(), Finder.START));
                world.journal().commit(now, entries);
                purse.egress().begun(begun, now);
            }
        }
    }

    private Start.Means means(JobRecord job, Instant now) {
        return new Start.Means() {
            @Override
            public long orderedBytes() {
                return weight(job.run().site());
            }

            @Override
            public List<JobRecord> runningOn(String node) {
                return live.runningOn(node);
            }

            @Override
            public int attemptBefore() {
                return before(job);
            }

            @Override
            public Charge results() {
                return purse.egress().charge(job, now);
            }

            @Override
            public Money left() {
                return purse.left(now);
            }

            @Override
            public Cause overdrawn(List<NodeRecord> held, Charge results) {
                return purse.capping().overdrawn(held, Holders.of(List.of(job)), results, now);
            }

            @Override
            public Capping.Start limited(List<NodeRecord> held) {
                return ForeignJobs.isForeign(job)
                        ? new Capping.Start(Cause.NONE, List.of())
                        : purse.capping().start(job, held, now);
            }
        };
    }
}
