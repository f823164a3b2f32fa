package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.JobOrder;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.JoinedNode;
import org.spillway.slurm.manager.SlurmTurn;

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

    private static final String UNSTAGED = "burst buffer: ";

    /** A job, with what is true of it. */
    static final class Job {
        final String key;
        final String number;
        final ForeignJob.Facts facts;
        Status status = new Status.Waiting("Resources");
        int restarts;
        /** The count of runs: forgotten ones are among them. */
        int run;
        /** Runs that came to their own end, also when slurmctld has forgotten that. */
        final Set<Integer> endedRuns = new TreeSet<>();

        /** Nodes whose daemon has seen a run of it that is forgotten: they let the next one pass without its order. */
        final Set<String> remembering = new TreeSet<>();

        /** Whether it was ended once more than it knows. */
        boolean forgotEnd;

        boolean staged;
        /** Set by the head: the one site where its input lies; empty for any. */
        String site = "";
        /** Nodes on which processes of the present run were started. */
        final Set<String> started = new TreeSet<>();

        /** The head's attempts: which run each of them is. */
        final Map<Integer, Integer> runOfAttempt = new HashMap<>();

        @Nullable
        Instant endsAt;

        @Nullable
        Instant endedAt;

        /** Of a job that has ended: what it had before. */
        Status.@Nullable Allocated had;

        /** When it finds that a run whose end it has forgotten is not there. */
        @Nullable
        Instant purgedAt;

        @Nullable
        Instant allocatedAt;

        @Nullable
        Instant nodeLostAt;

        @Nullable
        Instant leftAt;

        Job(String key, String number, ForeignJob.Facts facts) {
            this.key = key;
            this.number = number;
            this.facts = facts;
        }

        boolean hasData() {
            return !facts.data().inputs().isEmpty();
        }

        List<String> nodes() {
            return status instanceof Status.Allocated(var nodes, int count, var since) ? nodes : List.of();
        }

        boolean isEnded() {
            return status instanceof Status.Ended;
        }
    }

    private static final class Node {
        final JoinedNode joined;
        boolean up;
        boolean drained;

        @Nullable
        Instant registeredAt;

        /** Since when it has not been up. */
        Instant absentSince;

        /** How often the head has missed it. */
        int missed;

        Node(JoinedNode joined, Instant now) {
            this.joined = joined;
            this.absentSince = now;
        }
    }

    private final SimClock clock;
    private final Draw draw;
    private final MemoryJournalStore disk;
    final Map<String, Job> jobs = new LinkedHashMap<>();
    /** All that were ever submitted. */
    final Map<String, Job> all = new LinkedHashMap<>();

    private final Map<String, Node> nodes = new TreeMap<>();
    private Nodes truth = node -> false;

    /** The truth about the nodes. */
    interface Nodes {
        /** Whether its instance lives and hears. */
        boolean isReachable(String node);
    }

    @Nullable
    Instant awayUntil;

    private Instant beginsFrom = Instant.MIN;
    private Instant started = Instant.EPOCH;
    /** Nodes whose daemon never registers. */
    final Set<String> mute = new TreeSet<>();

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
    }

    void over(Nodes nodes) {
        truth = nodes;
    }

    boolean isAway() {
        return awayUntil != null && clock.now().isBefore(awayUntil);
    }

    Job submit(ForeignJob.Facts facts) {
        String number = Integer.toString(100 + all.size());
        Job job = new Job("slurm:" + number + ":" + facts.submittedAt().getEpochSecond(), number, facts);
        jobs.put(job.key, job);
        all.put(job.key, job);
        return job;
    }

    // --- what the head says

    void join(JoinedNode node) {
        Node known = nodes.computeIfAbsent(node.id(), id -> new Node(node, clock.now()));
        known.drained = false;
    }

    void drain(String node) {
        Node known = nodes.get(node);
        if (known != null) {
            known.drained = true;
        }
    }

    /** The node is no more: what it still has there is taken off it. */
    void leave(String node) {
        nodes.remove(node);
        for (Job job : jobs.values()) {
            if (job.nodes().contains(node)) {
                breakOff(job);
            }
        }
    }

    boolean isVacant(String node) {
        Node known = nodes.get(node);
        return known == null
                || (known.drained
                        && jobs.values().stream().noneMatch(job -> job.nodes().contains(node)));
    }

    void end(String key) {
        Job job = jobs.get(key);
        if (job != null && !job.isEnded()) {
            end(job, 0, true);
        }
    }

    /** The head takes a run for living that is over, or nothing can be had of one that has ended. */
    void again(String key) {
        Job job = jobs.get(key);
        if (job != null && job.purgedAt != null) {
            missing(job);
        } else if (job != null && job.status instanceof Status.Ended end && !end.cancelled() && job.facts.requeue()) {
            job.endedAt = null;
            job.leftAt = null;
            job.had = null;
            breakOff(job);
        }
    }

    // --- what happens on nodes

    void registered(String node) {
        Node known = nodes.get(node);
        if (known != null && !mute.contains(node)) {
            known.up = true;
            known.registeredAt = clock.now();
        }
    }

    /** The word that the node is to be told; null for nothing. */
    @Nullable
    SlurmTurn turn(String node) {
        Node known = nodes.get(node);
        return known == null ? null : new SlurmTurn(started.getEpochSecond(), known.missed);
    }

    Optional<Instant> absentSince(String node) {
        Node known = nodes.get(node);
        if (known == null || known.up) {
            return Optional.empty();
        }
        known.missed = (int) (Duration.between(known.absentSince, clock.now()).toSeconds() / 30);
        return Optional.of(known.absentSince);
    }

    private @Nullable Job byNumber(String number) {
        return jobs.values().stream()
                .filter(job -> job.number.equals(number))
                .findFirst()
                .orElse(null);
    }

    /** Whether the prolog of this job waits on that node for this order, made for the run that it has there. */
    boolean waitsFor(JobOrder order) {
        JobOrder.Foreign foreign = order.foreign();
        Job job = foreign == null ? null : byNumber(foreign.job());
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
        Job job = order.foreign() == null ? null : byNumber(order.foreign().job());
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
        Job job = byNumber(number);
        return job != null && job.run == run && job.nodes().contains(node);
    }

    int run(String number) {
        Job job = byNumber(number);
        return job == null ? 0 : job.run;
    }

    /** The prolog has failed: the job is held, and its user sees why. */
    void refused(String number) {
        Job job = byNumber(number);
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
        for (Job job : List.copyOf(jobs.values())) {
            if (job.status instanceof Status.Allocated) {
                allocated(job, now);
            } else if (job.leftAt != null && now.isAfter(job.leftAt.plus(KEPT))) {
                jobs.remove(job.key);
            }
        }
        for (Job job : jobs.values()) {
            if (job.status instanceof Status.Waiting && (job.staged || !job.hasData())) {
                allocate(job, now);
            }
        }
    }

    private void allocated(Job job, Instant now) {
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
    private void missing(Job job) {
        if (job.facts.requeue()) {
            breakOff(job);
        } else {
            job.run++;
            end(job, 1, false);
        }
    }

    /** Only where it reaches the nodes can it end what runs there. */
    boolean isReached(Job job) {
        return !isAway() && job.nodes().stream().allMatch(truth::isReachable);
    }

    void breakOff(Job job) {
        job.status = new Status.Waiting("BeginTime");
        job.restarts++;
        begin(job);
    }

    private static void begin(Job job) {
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
        started = beginsFrom;
        Instant written = now.minusMillis(draw.between(0, (int) WRITTEN_WITHIN.toMillis()));
        awayUntil = now.plusMillis(draw.between(1000, draw.chance(0.2) ? 30_000 : 4000));
        forgetNodes(written);
        for (Job job : List.copyOf(jobs.values())) {
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

    /** Forgets that nodes have come. */
    void forgetNodes(Instant written) {
        for (Node node : nodes.values()) {
            if (node.registeredAt != null && node.registeredAt.isAfter(written)) {
                node.up = false;
                node.registeredAt = null;
                node.absentSince = clock.now();
            }
        }
    }

    /**
     * The job waits as before, with the same count of restarts; what its nodes run of it is ended when they are heard.
     */
    void forgetRun(Job job) {
        boolean reached = job.nodes().stream().allMatch(truth::isReachable);
        if (!job.nodes().isEmpty() && reached) {
            List<String> saw = draw.chance(0.5) ? job.nodes() : List.of();
            job.status = new Status.Waiting("Resources");
            job.staged = !job.hasData();
            begin(job);
            job.remembering.addAll(saw);
        }
    }

    void forgetEnd(Job job) {
        Status.Allocated had = job.had;
        if (had == null || !nodes.keySet().containsAll(had.nodes())) {
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
    boolean isWritten(Job job) {
        Instant ended = job.endedAt;
        return ended != null && !clock.now().isBefore(ended.plus(SURELY_WRITTEN));
    }

    void end(Job job, int code, boolean cancelled) {
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
    void runElsewhere(Job job) {
        job.status = new Status.Allocated(List.of(), job.restarts, clock.now().truncatedTo(ChronoUnit.SECONDS));
        job.allocatedAt = clock.now();
        job.endsAt = clock.now().plusMillis(draw.between(1000, 10_000));
    }

    boolean refusesInput() {
        return refusals-- > 0 || (refusing && draw.chance(0.03));
    }

    /** The manager restarts without what it had not saved. */
    void forget(Job job) {
        // Nobody knows any more how any of them ended.
        job.endedRuns.addAll(job.runOfAttempt.values());
        jobs.remove(job.key);
    }

    private void allocate(Job job, Instant now) {
        if (now.isBefore(beginsFrom)) {
            return;
        }
        Map<String, List<String>> rooms = new TreeMap<>();
        for (Node node : nodes.values()) {
            boolean site = job.site.isEmpty()
                    ? job.facts.sites().contains(node.joined.site())
                    : job.site.equals(node.joined.site());
            int free = node.joined.resources().cpus() - used(node.joined.id());
            boolean serves = node.up && !node.drained && truth.isReachable(node.joined.id());
            if (site && serves && free >= job.facts.need().perNode().cpus()) {
                rooms.computeIfAbsent(node.joined.site(), key -> new ArrayList<>())
                        .add(node.joined.id());
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

    // --- its hooks

    /** Asks the head of the data of each job, like the hooks do. */
    interface Head {
        DataAnswer dataIn(String number);

        DataAnswer dataOut(String number);
    }

    void ask(Head head) {
        if (isAway()) {
            return;
        }
        for (Job job : jobs.values()) {
            if (job.status instanceof Status.Waiting && job.hasData() && !job.staged) {
                switch (head.dataIn(job.number)) {
                    case DataAnswer.Ready ready -> job.staged = true;
                    case DataAnswer.Wait wait -> {}
                    case DataAnswer.Failed(String why) -> job.status = new Status.Held(UNSTAGED + why);
                }
            } else if (job.isEnded() && job.leftAt == null) {
                switch (head.dataOut(job.number)) {
                    case DataAnswer.Ready ready -> leave(job, false);
                    case DataAnswer.Wait wait -> {}
                    case DataAnswer.Failed failed -> leave(job, true);
                }
            }
        }
    }

    /** The head's. */
    static String id(Job job) {
        return job.key.replaceAll("[^A-Za-z0-9]", "-");
    }

    private void leave(Job job, boolean lost) {
        String id = id(job);
        boolean live = disk.job(id).filter(record -> record.isLive()).isPresent();
        // Results of an earlier run are nobody's, and of a job that was ended between two there is nothing else.
        if (live && !lost && job.runOfAttempt.containsValue(job.run)) {
            boolean published = disk.job(id)
                    .filter(record -> record.run().published() != null)
                    .isPresent();
            if (published) {
                job.leftAt = clock.now();
                return;
            }
            throw new Broken("job " + id + " may leave Slurm before its results are in their places");
        }
        job.leftAt = clock.now();
    }

    /** Published results must be of the run that ended. */
    void published(String id, int attempt) {
        for (Job job : all.values()) {
            if (id(job).equals(id)) {
                Integer run = job.runOfAttempt.get(attempt);
                if (run != null && !job.endedRuns.contains(run)) {
                    throw new Broken("job " + id + " published a run that was broken off");
                }
            }
        }
    }

    /** Users take their hands off: what they held goes on. */
    void calm() {
        awayUntil = null;
        refusing = false;
        for (Job job : jobs.values()) {
            release(job);
        }
    }

    void release(Job job) {
        if (job.status instanceof Status.Held) {
            job.status = new Status.Waiting("Resources");
        }
    }
}
