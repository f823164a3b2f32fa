package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.PlaceCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.Offers;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.Finder;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.head.placement.Placed;
import org.spillway.head.placement.Placement;
import org.spillway.head.placement.Prospect;
import org.spillway.head.placement.WaitingJob;

/** Lets jobs go on that nothing holds, and binds those that no node has to sites. */
public final class Placing {
    private static final Logger LOG = LoggerFactory.getLogger(Placing.class);
    private static final Comparator<JobRecord> IN_TURN = Comparator.comparingInt(
                    (JobRecord job) -> -job.spec().priority())
            .thenComparing(job -> job.spec().submittedAt())
            .thenComparingInt(job -> job.id().length())
            .thenComparing(JobRecord::id);

    /** No provider has one of that name. */
    private static final String NO_TYPE = "/";

    /** Staging that fails for longer is tried in another site, if there is one. */
    private static final Duration STUCK = Duration.ofSeconds(60);

    private final World world;
    private final Sites sites;
    private final Purse purse;
    private final JobMemory memory;
    private final ForeignJobs foreign;
    private final Outlooks outlooks;
    private final Eligibility eligibility;
    /** Jobs that the last tick found a place for, or looked for one. */
    private Set<String> lastPlaced = Set.of();

    Placing(
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
        this.purse = purse;
        this.memory = memory;
        this.foreign = foreign;
        this.outlooks = new Outlooks(world, sites, live, offers, purse, memory, seen);
        this.eligibility = new Eligibility(world);
    }

    private static boolean isPlaced(JobState state) {
        return switch (state) {
            case SUBMITTED, HELD, STAGING_IN, QUEUED -> true;
            case RUNNING, STAGING_OUT, DONE, FAILED, CANCELLED -> false;
        };
    }

    /** Steps and findings of a tick. */
    private record Round(List<JobRecord> batch, List<JobRecord> cancelled, List<WaitFinding> found) {
        void waits(JobRecord job, Cause why) {
            found.add(new WaitFinding(job.id(), Finder.PLACE, why));
        }
    }

    /** Ended: jobs whose dependencies came to nothing. @return those */
    List<JobRecord> advance(List<WaitFinding> found, Instant now) {
        Round round = new Round(new ArrayList<>(), new ArrayList<>(), found);
        Map<String, JobRecord> waiting = new HashMap<>();
        eligibility.begin();
        Stream.of(JobState.SUBMITTED, JobState.HELD)
                .flatMap(state -> world.journal().jobs(state).stream())
                .filter(job -> !job.run().cancelled() && foreign.mayBePlaced(job, now))
                .sorted(IN_TURN)
                .forEach(job -> judge(job, waiting, round, now));
        world.waiting().stream()
                .filter(job -> !job.run().cancelled() && foreign.mayBePlaced(job, now))
                .forEach(job -> waiting.put(job.id(), job));
        waiting.values().removeIf(job -> hasNodes(job, round, now));
        lastPlaced = Collections.unmodifiableSet(waiting.keySet());
        if (!waiting.isEmpty()) {
            List<WaitingJob> jobs =
                    waiting.values().stream().map(job -> waiting(job, now)).toList();
            for (Placed placed : Placement.decide(jobs, outlooks.of(now), purse.left(now), now)) {
                JobRecord job = waiting.get(placed.job());
                if (job != null) {
                    apply(job, placed, round, now);
                }
            }
        }
        world.journal().commit(now, round.batch);
        return round.cancelled;
    }

    /** The job's manager has given it nodes: nothing is left to choose, and it goes where they are. */
    private boolean hasNodes(JobRecord job, Round round, Instant now) {
        List<String> nodes = foreign.allocation(job);
        if (nodes.isEmpty()) {
            return false;
        }
        world.journal()
                .node(nodes.getFirst())
                .map(NodeRecord::site)
                .filter(site -> !site.equals(job.run().site()))
                .ifPresent(site -> bind(job, site, new PlaceCause.GivenNodes(site), round, now));
        return true;
    }

    private void judge(JobRecord job, Map<String, JobRecord> waiting, Round round, Instant now) {
        switch (eligibility.judge(job)) {
            case Eligibility.Verdict.Free free -> {
                eligibility.goesOn(job);
                waiting.put(job.id(), job);
            }
            case Eligibility.Verdict.Hold(Cause why) -> hold(job, why, round, now);
            case Eligibility.Verdict.Cancel(Cause why) -> {
                JobRecord ended = job.to(JobState.CANCELLED, why, now);
                round.batch.add(ended);
                round.cancelled.add(ended);
            }
        }
    }

    /** The journal has the first reason; later ones are not worth a write each. */
    private void hold(JobRecord job, Cause reason, Round round, Instant now) {
        round.waits(job, reason);
        if (job.jobState() != JobState.HELD) {
            round.batch.add(job.to(JobState.HELD, reason, now));
        }
    }

    private WaitingJob waiting(JobRecord job, Instant now) {
        JobSpec spec = job.spec();
        String site = job.run().site();
        Instant bound = boundAt(job);
        long bytes = memory.transfers().inputBytes(job.id());
        boolean staged = job.jobState() == JobState.QUEUED;
        Instant failing = memory.failing().stageInSince(job.id());
        return new WaitingJob(
                job.id(),
                need(spec),
                spec.priority(),
                spec.submittedAt(),
                new WaitingJob.Binding(
                        site,
                        site.isEmpty() ? Duration.ZERO : Duration.between(bound, now),
                        staged ? bytes : memory.transfers().movedIn(job.id()),
                        !staged && failing != null && now.isAfter(failing.plus(STUCK))),
                bytes,
                purse.egress().isPriced() ? purse.egress().of(job).bytes() : 0);
    }

    private WaitingJob.Need need(JobSpec spec) {
        return new WaitingJob.Need(
                spec.sites(),
                types(spec),
                spec.resources(),
                spec.nodes(),
                spec.walltime(),
                world.settings().markets().of(spec));
    }

    /** A job that an earlier head bound is taken for bound when this one began. */
    private Instant boundAt(JobRecord job) {
        Instant bound = memory.transfers().boundAt(job.id());
        return bound == null ? world.startedAt() : bound;
    }

    /** {@code SITE/TYPE} of what it may run on; none for all. */
    private List<String> types(JobSpec spec) {
        List<String> named = spec.need().types();
        Roles roles = world.settings().roles();
        String category = roles.of(spec.queue());
        if (!roles.isNarrow(category)) {
            return named;
        }
        List<String> allowed = sites.all().stream()
                .flatMap(site -> site.offerings().stream())
                .filter(offering -> roles.allows(category, offering.id().instanceType()))
                .map(offering -> offering.id().site() + "/" + offering.id().instanceType())
                .distinct()
                .filter(type -> named.isEmpty() || named.contains(type))
                .sorted()
                .toList();
        return allowed.isEmpty() ? List.of(NO_TYPE) : allowed;
    }

    private void apply(JobRecord job, Placed placed, Round round, Instant now) {
        memory.expectations().is(job.id(), placed.prospect());
        switch (placed) {
            case Placed.Bind(String id, String site, var prospect, Cause reason) -> bind(job, site, reason, round, now);
            case Placed.Stay(String id, var prospect, Cause reason) -> {
                if (job.run().site().isEmpty()) {
                    hold(job, reason, round, now);
                }
            }
        }
    }

    private void bind(JobRecord job, String site, Cause reason, Round round, Instant now) {
        String before = job.run().site();
        if (!before.isEmpty()) {
            LOG.info("job {}: from site {} to {}: {}", job.id(), before, site, reason.text());
            memory.transfers().leftBehind(job.id(), before);
        }
        memory.transfers().bound(job.id(), now);
        memory.failing().stageInAnew(job.id());
        round.waits(job, reason);
        JobRecord bound = job.with(job.run().at(site));
        if (job.jobState() != JobState.QUEUED || !job.spec().inputs().isEmpty()) {
            bound = bound.to(JobState.STAGING_IN, reason, now);
            round.batch.add(bound);
        }
        if (job.spec().inputs().isEmpty()) {
            round.batch.add(bound.to(JobState.QUEUED, reason, now));
        }
    }

    /** The decision there would be now about a job that was not submitted. */
    public PlacementView wouldPlace(JobSpec spec, long inputBytes, Instant now) {
        Cause held = eligibility.holds(spec);
        if (!held.isNone()) {
            return PlacementView.held(held);
        }
        List<WaitingJob> jobs = new ArrayList<>();
        // Jobs that the last tick placed, and no others: the new one stands behind what was said of them.
        lastPlaced.stream()
                .flatMap(id -> world.journal().job(id).stream())
                .filter(job -> !job.run().cancelled() && isPlaced(job.jobState()))
                .forEach(job -> jobs.add(waiting(job, now)));
        // No job has an empty id.
        jobs.add(new WaitingJob(
                "",
                need(spec),
                spec.priority(),
                now,
                WaitingJob.Binding.NONE,
                inputBytes,
                purse.egress().bytes(spec, inputBytes)));
        Placed itself = Placement.decide(jobs, outlooks.of(now), purse.left(now), now).stream()
                .filter(one -> one.job().isEmpty())
                .findFirst()
                .orElseThrow();
        Prospect prospect = itself.prospect();
        Cause obstacle = prospect.obstacle();
        Duration staging = prospect.site().isEmpty()
                ? Duration.ZERO
                : Duration.ofMillis(inputBytes * 1000 / memory.transfers().bytesPerSecond(prospect.site()));
        return new PlacementView(
                prospect.site(),
                prospect.offering(),
                prospect.buys(),
                prospect.pricePerHour(),
                prospect.egress(),
                staging,
                prospect.start(),
                reason(itself.cause(), obstacle));
    }

    private static String reason(Cause cause, Cause obstacle) {
        return cause.isNone() || obstacle.isNone() || cause.equals(obstacle)
                ? cause.or(obstacle).text()
                : cause.text() + ": " + obstacle.text();
    }
}
