package org.spillway.slurm.manager;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.tenant.Logins;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignQueue;
import org.spillway.head.workload.JobIntake;
import org.spillway.head.workload.JoinedNode;
import org.spillway.head.workload.NodeIntake;
import org.spillway.head.workload.NodeList;
import org.spillway.head.workload.ReleasedJob;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.head.workload.WorkloadUnavailable;
import org.spillway.head.workload.WorkloadView;
import org.spillway.slurm.manager.WantedNode.Phase;
import org.spillway.slurm.settings.PendingReasons;
import org.spillway.slurm.settings.SlurmSettings;

/**
 * A Slurm that owns the queue: what the loop says is kept as what is wanted, and a thread of its own looks at Slurm and
 * says what is missing. Only {@link #lines} may be called by any thread.
 */
public final class SlurmWorkload implements WorkloadManager, NodeIntake, JobIntake, NodeList, ForeignQueue {
    private static final Logger LOG = LoggerFactory.getLogger(SlurmWorkload.class);
    /** A look that is older than this is no answer. */
    private static final Duration FRESH = Duration.ofSeconds(15);

    private static final int MOST_RUNS = 100_000;

    private final SlurmSettings settings;
    private final InstantSource clock;
    private final Runnable changed;
    private final MungeKey key;
    private final SlurmThread thread;

    private final Object lock = new Object();
    /** Guarded by the lock, as the three after it. */
    private final Map<String, WantedNode> nodes = new LinkedHashMap<>();

    private final Map<String, ReleasedJob> released = new LinkedHashMap<>();
    private final Map<String, String> sentences = new HashMap<>();
    private final Map<String, String> ends = new HashMap<>();
    /** Runs that are over and of whose end Slurm knows nothing, by key. */
    private final Map<String, RunAgain> agains = new HashMap<>();

    /** Jobs that have ended well for Slurm and not for the head, by key. */
    private final Map<String, Failure> failures = new HashMap<>();
    /** Runs that have left their nodes, by key. */
    private final Map<String, SlurmRun> left = new HashMap<>();

    private final LineStore lines = new LineStore();
    /** Which run each attempt of a job was, by the job's id; used by the loop's thread only. */
    private final Map<String, Map<Integer, SlurmRun>> runs = new HashMap<>();

    private volatile @Nullable SlurmView view;
    /** The one that the loop knows and speaks of; used by its thread only. */
    private @Nullable SlurmView polled;

    private volatile WorkloadUnavailable trouble =
            new WorkloadUnavailable("Slurm was not asked yet", new IllegalStateException("no look yet"));
    /** Whether the loop has said all it knows: it polls only then. */
    private volatile boolean complete;

    /**
     * @param logins a job of nobody's is not taken over
     * @param known keys of jobs that the head took over before and that have not ended
     * @param changed told when Slurm says something else than before: who waits for its next turn need not
     */
    public SlurmWorkload(
            SlurmSettings settings,
            Collection<HeadConfig.Queue> queues,
            Logins logins,
            Collection<String> known,
            InstantSource clock,
            Runnable changed) {
        this.settings = settings;
        this.clock = clock;
        this.changed = changed;
        key = new MungeKey(settings.mungeKey());
        var partitions = new Partitions(queues, settings.nodes().keySet());
        thread = new SlurmThread(
                new SlurmCommands(settings.conf()),
                Slots.declared(settings),
                partitions,
                new JobBook(partitions, logins, settings.files(), known),
                new PendingReasons(settings.reasons()),
                clock,
                new Port());
        thread.start();
    }

    /** The thread's inputs and outputs. */
    private final class Port implements SlurmThread.Port {
        @Override
        public SlurmThread.Wanted wanted() {
            Map<Long, String> texts = lines.texts();
            synchronized (lock) {
                Map<String, String> sites = new HashMap<>();
                released.values().stream()
                        .filter(job -> job.nodes().isEmpty() && !job.foreign().isEmpty())
                        .forEach(job -> sites.put(job.foreign(), job.site()));
                return new SlurmThread.Wanted(
                        new LinkedHashMap<>(nodes),
                        new JobPlan.Wanted(sites, sentences, ends, agains.keySet(), failures),
                        new SlurmThread.Words(texts, lines.roomless(), Map.copyOf(left)),
                        complete);
            }
        }

        @Override
        public void seen(SlurmView now) {
            synchronized (lock) {
                now.gone().forEach(node -> nodes.remove(node.node().id(), node));
                agains.entrySet()
                        .removeIf(again -> !again.getValue().isStill(now.jobs().get(again.getKey())));
                if (now.complete()) {
                    // A job that is not known any more needs no word.
                    sentences.keySet().removeIf(job -> !now.jobs().containsKey(job));
                    ends.keySet().removeIf(job -> !now.jobs().containsKey(job));
                    left.keySet().removeIf(job -> !now.jobs().containsKey(job));
                    failures.entrySet()
                            .removeIf(job -> job.getValue().isSaid(now.jobs().get(job.getKey())));
                }
            }
            lines.seen(now.users(), now.begun());
            key.refresh();
            SlurmView before = view;
            view = now;
            if (before == null || isNews(before, now)) {
                changed.run();
            }
        }

        private static boolean isNews(SlurmView before, SlurmView now) {
            return before.complete() != now.complete()
                    || !before.slots().equals(now.slots())
                    || !before.turns().equals(now.turns())
                    || !before.vacant().equals(now.vacant())
                    || !before.withheld().equals(now.withheld())
                    || !before.jobs().equals(now.jobs());
        }

        @Override
        public void failed(WorkloadUnavailable why) {
            if (!String.valueOf(trouble.getMessage()).equals(why.getMessage())) {
                // The loop warns once a minute; what is said here changes as often as Slurm's words do.
                LOG.info("Slurm does not answer: {}", why.getMessage());
            }
            trouble = why;
        }
    }

    @Override
    public String name() {
        return "slurm";
    }

    @Override
    public NodeIntake nodes() {
        return this;
    }

    @Override
    public JobIntake jobs() {
        return this;
    }

    @Override
    public Optional<NodeList> nodeList() {
        return Optional.of(this);
    }

    @Override
    public Optional<ForeignQueue> foreignQueue() {
        return Optional.of(this);
    }

    @Override
    public WorkloadView poll(Instant now) throws WorkloadUnavailable {
        if (!complete) {
            complete = true;
            thread.wake();
        }
        SlurmView seen = view;
        if (seen == null || !seen.complete() || seen.begun().plus(FRESH).isBefore(now)) {
            throw new WorkloadUnavailable(String.valueOf(trouble.getMessage()), trouble);
        }
        polled = seen;
        if (runs.size() > MOST_RUNS) {
            runs.keySet().retainAll(released.keySet());
        }
        List<WorkloadView.Allocation> allocations = new ArrayList<>();
        for (ReleasedJob job : released.values()) {
            ForeignJob foreign = seen.jobs().get(job.foreign());
            if (foreign != null
                    && foreign.status() instanceof ForeignJob.Status.Allocated run
                    && !run.nodes().isEmpty()) {
                allocation(job, run).ifPresent(allocations::add);
            }
        }
        return new WorkloadView(allocations, List.copyOf(seen.jobs().values()));
    }

    private Optional<WorkloadView.Allocation> allocation(ReleasedJob job, ForeignJob.Status.Allocated run) {
        Map<Integer, SlurmRun> attempts = runs.computeIfAbsent(job.id(), id -> new HashMap<>());
        SlurmRun present = new SlurmRun(run.restarts(), run.since());
        SlurmRun last = attempts.get(job.attempt());
        if (last == null && job.nodes().equals(run.nodes())) {
            // The head was started again while it ran.
            attempts.put(job.attempt(), present);
            last = present;
        }
        if (present.equals(last)) {
            // A run that the head has given up is not given to it once more.
            return job.nodes().isEmpty()
                    ? Optional.empty()
                    : Optional.of(new WorkloadView.Allocation(job.id(), job.attempt(), run.nodes()));
        }
        attempts.put(job.attempt() + 1, present);
        return Optional.of(new WorkloadView.Allocation(job.id(), job.attempt() + 1, run.nodes()));
    }

    @Override
    public void join(JoinedNode node) {
        want(node.id(), WantedNode.serving(node));
    }

    @Override
    public void drain(String node, String reason) {
        synchronized (lock) {
            WantedNode known = nodes.get(node);
            if (known == null || known.phase() != Phase.SERVING) {
                return;
            }
            nodes.put(node, known.draining(reason));
        }
        thread.wake();
    }

    @Override
    public void leave(String node) {
        synchronized (lock) {
            WantedNode known = nodes.get(node);
            if (known == null || known.phase() == Phase.LEFT) {
                return;
            }
            nodes.put(node, known.left());
        }
        thread.wake();
    }

    private void want(String id, WantedNode node) {
        synchronized (lock) {
            if (node.equals(nodes.put(id, node))) {
                return;
            }
        }
        thread.wake();
    }

    @Override
    public void release(ReleasedJob job) {
        synchronized (lock) {
            if (job.equals(released.put(job.id(), job)) || job.foreign().isEmpty()) {
                return;
            }
        }
        thread.wake();
    }

    @Override
    public void withdraw(String job) {
        synchronized (lock) {
            released.remove(job);
        }
    }

    @Override
    public int room(String site, String type) {
        return settings.nodes().getOrDefault(site, Map.of()).getOrDefault(type, 0);
    }

    @Override
    public Optional<ManagerGrant> grant(String node) {
        SlurmView seen = view;
        String slot = seen == null ? null : seen.slots().get(node);
        return seen == null || slot == null
                ? Optional.empty()
                : key.base64()
                        .map(text -> new SlurmGrant(
                                        slot,
                                        settings.controller(),
                                        settings.user(),
                                        settings.mungeSocket().toString(),
                                        settings.files().shared(),
                                        text,
                                        seen.turns().get(node))
                                .onTheWire());
    }

    @Override
    public String nodeProgram() {
        return SlurmGrant.PROGRAM;
    }

    @Override
    public Optional<Instant> absentSince(String node) {
        SlurmView seen = view;
        boolean fresh =
                seen != null && seen.complete() && !seen.begun().plus(FRESH).isBefore(clock.instant());
        return seen == null || !fresh
                ? Optional.empty()
                : Optional.ofNullable(seen.absent().get(node));
    }

    @Override
    public Optional<String> withheld(String node) {
        SlurmView seen = view;
        boolean known = seen != null && seen.complete() && seen.slots().containsKey(node);
        return seen == null || !known
                ? Optional.empty()
                : Optional.of(seen.withheld().getOrDefault(node, ""));
    }

    @Override
    public boolean isVacant(String node) {
        SlurmView seen = view;
        synchronized (lock) {
            WantedNode wanted = nodes.get(node);
            return wanted == null
                    || wanted.phase() == Phase.LEFT
                    || (seen != null && seen.vacant().contains(wanted));
        }
    }

    @Override
    public void tell(String job, String sentence) {
        String aloud = Aloud.of(sentence);
        synchronized (lock) {
            if (aloud.equals(sentences.put(job, aloud))) {
                return;
            }
        }
        thread.wake();
    }

    @Override
    public void left(String job, int restarts, @Nullable Instant since) {
        SlurmRun run = new SlurmRun(restarts, since);
        synchronized (lock) {
            if (run.equals(left.put(job, run))) {
                return;
            }
        }
        thread.wake();
    }

    @Override
    public void end(String job, String why) {
        String aloud = Aloud.of(why);
        SlurmView seen = polled;
        ForeignJob known = seen == null ? null : seen.jobs().get(job);
        Optional<Failure> failure = known == null ? Optional.empty() : Failure.of(known, aloud);
        synchronized (lock) {
            boolean said = failure.isPresent()
                    ? failure.get().equals(failures.put(job, failure.get()))
                    : aloud.equals(ends.put(job, aloud));
            if (said) {
                return;
            }
        }
        thread.wake();
    }

    /** The head's node on that slot; empty for none. By any thread. */
    public Optional<String> nodeOf(String slot) {
        SlurmView seen = view;
        return seen == null
                ? Optional.empty()
                : seen.slots().entrySet().stream()
                        .filter(entry -> entry.getValue().equals(slot))
                        .map(Map.Entry::getKey)
                        .findFirst();
    }

    /**
     * The {@code #SPILLWAY} lines of a job: told when its data is asked for. By any thread.
     *
     * @param number Slurm's id of it, digits
     * @param text as {@link StagingLines} reads it
     * @return why there is no room for them now; empty when they are kept
     */
    public Optional<String> lines(String number, String text) {
        return switch (lines.put(Long.parseLong(number), text, clock.instant())) {
            case LineStore.Put.Stored(boolean changed) -> {
                if (changed) {
                    thread.wake();
                }
                yield Optional.empty();
            }
            case LineStore.Put.Full(String why) -> Optional.of(why);
        };
    }

    @Override
    public void again(String job, String why) {
        SlurmView seen = polled;
        ForeignJob known = seen == null ? null : seen.jobs().get(job);
        RunAgain again = known == null ? null : RunAgain.of(known).orElse(null);
        if (again == null) {
            return;
        }
        synchronized (lock) {
            if (again.equals(agains.put(job, again))) {
                return;
            }
        }
        LOG.warn("{} is to be run again: {}", job, why);
        tell(job, why);
        thread.wake();
    }

    @Override
    public void close() {
        thread.close();
    }
}
