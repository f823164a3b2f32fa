package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.JobOrder;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.JoinedNode;

/**
 * A workload manager with a queue of its own, like Slurm: users give it jobs, it asks for their data, gives them nodes,
 * starts and ends their processes there, breaks runs off, forgets jobs, and is away for a while. It outlives the head.
 */
final class SimSlurm {
    private static final Duration NODE_LOST = Duration.ofSeconds(4);
    /** Longer than a head is ever away here, as it is in Slurm ({@code MinJobAge}). */
    private static final Duration KEPT = Duration.ofSeconds(200);

    /** Changes that slurmctld forgets when it is killed are younger. */
    private static final Duration WRITTEN_WITHIN = Duration.ofSeconds(5);
    /** The head's assumption for that. */
    private static final Duration SURELY_WRITTEN = Duration.ofSeconds(6);

    private final SimClock clock;
    private final Draw draw;
    private final MemoryJournalStore disk;
    final Map<String, SimSlurmJob> jobs = new LinkedHashMap<>();
    /** All that were ever submitted. */
    final Map<String, SimSlurmJob> all = new LinkedHashMap<>();

    final SimSlurmNodes nodes;
    final SimSlurmHooks hooks;
    private Nodes truth = node -> false;

    /** The truth about the nodes. */
    interface Nodes {
        /** Whether its instance lives and hears. */
        boolean isReachable(String node);
    }

    @Nullable
    Instant awayUntil;

    private Instant beginsFrom = Instant.MIN;

    /** Whether users' files cannot be read now and then. */
    boolean refusing = true;

    /** How many of the next stagings find that they cannot. */
    int refusals;

    /** How many nodes of a type it declares in each site. */
    int declared = Integer.MAX_VALUE;

    /** Sentences that users are told of their jobs, by key. */
    final Map<String, String> told = new HashMap<>();

    SimSlurm(SimClock clock, Draw draw, MemoryJournalStore disk) {
        this.clock = clock;
        this.draw = draw;
        this.disk = disk;
        nodes = new SimSlurmNodes(clock);
        hooks = new SimSlurmHooks(this, clock, disk);
    }

    void over(Nodes nodes) {
        truth = nodes;
    }

    boolean isAway() {
        return awayUntil != null && clock.now().isBefore(awayUntil);
    }

    SimSlurmJob submit(ForeignJob.Facts facts) {
        String number = Integer.toString(100 + all.size());
        SimSlurmJob job =
                new SimSlurmJob("slurm:" + number + ":" + facts.submittedAt().getEpochSecond(), number, facts);
        jobs.put(job.key, job);
        all.put(job.key, job);
        return job;
    }

    // --- what the head says

    /** The node is no more: what it still has there is taken off it. */
    void leave(String node) {
        nodes.leave(node);
        for (SimSlurmJob job : jobs.values()) {
            if (job.nodes().contains(node)) {
                breakOff(job);
            }
        }
    }

    boolean isVacant(String node) {
        return !nodes.knows(node)
                || (nodes.isDrained(node)
                        && jobs.values().stream().noneMatch(job -> job.nodes().contains(node)));
    }

    void end(String key) {
        SimSlurmJob job = jobs.get(key);
        if (job != null && !job.isEnded()) {
            end(job, 0, true);
        } else if (job != null && job.status instanceof Status.Ended end && end.exitCode() == 0 && !end.cancelled()) {
            job.denied = true;
            if (job.facts.requeue()) {
                // Requeued while its nodes wait, and cancelled: more cannot be said against a good end.
                job.restarts++;
                job.status = new Status.Ended(job.restarts, end.since(), 0, true, Cause.NONE, false, end.place());
            }
        }
    }

    /** The head takes a run for living that is over, or nothing can be had of one that has ended. */
    void again(String key) {
        SimSlurmJob job = jobs.get(key);
        if (job != null && job.purgedAt != null) {
            missing(job);
        } else if (job != null && job.status instanceof Status.Ended end && !end.cancelled() && job.facts.requeue()) {
            job.endedAt = null;
            job.leftAt = null;
            job.had = null;
            breakOff(job);
        }
    }

    private @Nullable SimSlurmJob byNumber(String number) {
        return jobs.values().stream()
                .filter(job -> job.number.equals(number))
                .findFirst()
                .orElse(null);
    }

    /** Whether the prolog of this job waits on that node for this order, made for the run that it has there. */
    boolean waitsFor(JobOrder order) {
        JobOrder.Foreign foreign = order.foreign();
        SimSlurmJob job = foreign == null ? null : byNumber(foreign.job());
        if (job == null || !job.nodes().contains(order.node())) {
            return false;
        }
        JobRun.Foreign bound = disk.job(order.job())
                .filter(record -> record.run().attempt() == order.attempt())
                .map(record -> record.run().foreign())
                .orElse(null);
        return bound != null
                && !job.remembering.containsAll(job.nodes())
                && bound.restarts() == job.restarts
                && job.purgedAt == null
                && job.status instanceof Status.Allocated run
                && run.since().equals(bound.since());
    }

    /** The job's processes begin there. */
    void started(JobOrder order) {
        SimSlurmJob job =
                order.foreign() == null ? null : byNumber(order.foreign().job());
        if (job == null) {
            return;
        }
        boolean journalled = disk.job(order.job())
                .filter(record -> record.run().attempt() == order.attempt()
                        && record.run().has(order.node()))
                .isPresent();
        if (!journalled) {
            throw new Broken("a process of job " + order.job() + " was started before its attempt was journalled");
        }
        job.started.add(order.node());
        job.runOfAttempt.put(order.attempt(), job.run);
        if (job.started.containsAll(job.nodes())) {
            job.endsAt = clock.now().plusMillis(draw.between(500, 15_000));
        }
    }

    /** Whether processes that were started for that run still run, as far as the node is reached. */
    boolean runs(String number, String node, int run) {
        SimSlurmJob job = byNumber(number);
        return job != null && job.run == run && job.nodes().contains(node);
    }

    int run(String number) {
        SimSlurmJob job = byNumber(number);
        return job == null ? 0 : job.run;
    }

    /** The prolog has failed: the job is held, and its user sees why. */
    void refused(String number) {
        SimSlurmJob job = byNumber(number);
        if (job != null && !job.nodes().isEmpty()) {
            breakOff(job);
            job.status = new Status.Held("launch failed requeued held");
        }
    }

    // --- what it does itself

    void step() {
        Instant now = clock.now();
        if (isAway()) {
            return;
        }
        for (SimSlurmJob job : List.copyOf(jobs.values())) {
            if (job.status instanceof Status.Allocated) {
                allocated(job, now);
            } else if (job.leftAt != null && now.isAfter(job.leftAt.plus(KEPT))) {
                jobs.remove(job.key);
            }
        }
        for (SimSlurmJob job : jobs.values()) {
            if (job.status instanceof Status.Waiting && (job.staged || !job.hasData())) {
                allocate(job, now);
            }
        }
    }

    private void allocated(SimSlurmJob job, Instant now) {
        if (job.purgedAt != null) {
            if (!now.isBefore(job.purgedAt)) {
                missing(job);
            }
            return;
        }
        boolean reached = job.nodes().stream().allMatch(truth::isReachable);
        if (reached) {
            job.nodeLostAt = null;
            if (job.endsAt != null && !now.isBefore(job.endsAt)) {
                end(job, draw.chance(0.1) ? 7 : 0, false);
            }
        } else if (job.nodeLostAt == null) {
            job.nodeLostAt = now;
        } else if (now.isAfter(job.nodeLostAt.plus(NODE_LOST).plus(SimWorld.LEASE))) {
            if (job.facts.requeue()) {
                breakOff(job);
            } else {
                end(job, 1, false);
            }
        }
    }

    /** The job's node says that it does not run there. */
    private void missing(SimSlurmJob job) {
        if (job.facts.requeue()) {
            breakOff(job);
        } else {
            job.run++;
            end(job, 1, false);
        }
    }

    /** Only where it reaches the nodes can it end what runs there. */
    boolean isReached(SimSlurmJob job) {
        return !isAway() && job.nodes().stream().allMatch(truth::isReachable);
    }

    void breakOff(SimSlurmJob job) {
        job.status = new Status.Waiting("BeginTime");
        job.restarts++;
        begin(job);
    }

    private static void begin(SimSlurmJob job) {
        job.run++;
        job.remembering.clear();
        job.started.clear();
        job.endsAt = null;
        job.nodeLostAt = null;
        job.purgedAt = null;
    }

    /** {@code kill -9}, and started again: what it had not written down has not happened. */
    void kill() {
        Instant now = clock.now();
        // Slurm tells times in seconds: a run that it begins has another one than those before.
        beginsFrom = now.plusSeconds(1);
        nodes.started(beginsFrom);
        Instant written = now.minusMillis(draw.between(0, (int) WRITTEN_WITHIN.toMillis()));
        awayUntil = now.plusMillis(draw.between(1000, draw.chance(0.2) ? 30_000 : 4000));
        nodes.forgetNodes(written);
        for (SimSlurmJob job : List.copyOf(jobs.values())) {
            Instant ended = job.endedAt;
            if (job.facts.submittedAt().isAfter(written)) {
                forget(job);
            } else if (job.isEnded() && ended != null && ended.isAfter(written)) {
                forgetEnd(job);
            } else if (job.allocatedAt != null && job.allocatedAt.isAfter(written)) {
                forgetRun(job);
            }
        }
    }

    /**
     * The job waits as before, with the same count of restarts; what its nodes run of it is ended when they are heard.
     */
    void forgetRun(SimSlurmJob job) {
        boolean reached = job.nodes().stream().allMatch(truth::isReachable);
        if (!job.nodes().isEmpty() && reached) {
            List<String> saw = draw.chance(0.5) ? job.nodes() : List.of();
            job.status = new Status.Waiting("Resources");
            job.staged = !job.hasData();
            begin(job);
            job.remembering.addAll(saw);
        }
    }

    void forgetEnd(SimSlurmJob job) {
        Status.Allocated had = job.had;
        if (had == null || !had.nodes().stream().allMatch(nodes::knows)) {
            return;
        }
        job.status = had;
        job.endedAt = null;
        job.leftAt = null;
        job.had = null;
        job.forgotEnd = true;
        job.purgedAt = clock.now().plusMillis(draw.between(2000, 300_000));
    }

    /** Whether it cannot forget any more that the job has ended. */
    boolean isWritten(SimSlurmJob job) {
        Instant ended = job.endedAt;
        return ended != null && !clock.now().isBefore(ended.plus(SURELY_WRITTEN));
    }

    void end(SimSlurmJob job, int code, boolean cancelled) {
        Status.Allocated had = job.status instanceof Status.Allocated run ? run : null;
        if (had != null && job.purgedAt == null && job.runOfAttempt.containsValue(job.run)) {
            job.endedRuns.add(job.run);
        }
        job.had = had;
        job.purgedAt = null;
        Status.Place place =
                had == null ? Status.Place.UNKNOWN : had.nodes().isEmpty() ? Status.Place.ELSEWHERE : Status.Place.OURS;
        // A job that is cancelled while it waits begins and ends there and then.
        Instant since = had == null ? clock.now().truncatedTo(ChronoUnit.SECONDS) : had.since();
        job.status = new Status.Ended(job.restarts, since, code, cancelled, Cause.NONE, false, place);
        job.endedAt = clock.now();
        job.started.clear();
        if (job.runOfAttempt.isEmpty()) {
            // A job that had no nodes has nothing to bring home; nobody is asked.
            job.leftAt = clock.now();
        }
    }

    /** The job runs where the head has no part in it. */
    void runElsewhere(SimSlurmJob job) {
        job.status = new Status.Allocated(List.of(), job.restarts, clock.now().truncatedTo(ChronoUnit.SECONDS));
        job.allocatedAt = clock.now();
        job.endsAt = clock.now().plusMillis(draw.between(1000, 10_000));
    }

    boolean refusesInput() {
        return refusals-- > 0 || (refusing && draw.chance(0.03));
    }

    /** The manager restarts without what it had not saved. */
    void forget(SimSlurmJob job) {
        // Nobody knows any more how any of them ended.
        job.endedRuns.addAll(job.runOfAttempt.values());
        jobs.remove(job.key);
    }

    private void allocate(SimSlurmJob job, Instant now) {
        if (now.isBefore(beginsFrom)) {
            return;
        }
        Map<String, List<String>> rooms = new TreeMap<>();
        for (JoinedNode node : nodes.serving()) {
            boolean site = job.site.isEmpty() ? job.facts.sites().contains(node.site()) : job.site.equals(node.site());
            int free = node.resources().cpus() - used(node.id());
            if (site
                    && truth.isReachable(node.id())
                    && free >= job.facts.need().perNode().cpus()) {
                rooms.computeIfAbsent(node.site(), key -> new ArrayList<>()).add(node.id());
            }
        }
        rooms.values().stream()
                .filter(room -> room.size() >= job.facts.need().nodes())
                .findFirst()
                .ifPresent(room -> {
                    job.status = new Status.Allocated(
                            room.subList(0, job.facts.need().nodes()),
                            job.restarts,
                            now.truncatedTo(ChronoUnit.SECONDS));
                    job.allocatedAt = now;
                    if (job.remembering.containsAll(job.nodes())) {
                        job.endsAt = now.plusMillis(draw.between(500, 15_000));
                    }
                });
    }

    private int used(String node) {
        return jobs.values().stream()
                .filter(job -> job.nodes().contains(node))
                .mapToInt(job -> job.facts.need().perNode().cpus())
                .sum();
    }

    /** Users take their hands off: what they held goes on. */
    void calm() {
        awayUntil = null;
        refusing = false;
        for (SimSlurmJob job : jobs.values()) {
            release(job);
        }
    }

    void release(SimSlurmJob job) {
        if (job.status instanceof Status.Held) {
            job.status = new Status.Waiting("Resources");
        }
    }
}
