package org.spillway.slurm.manager;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.WorkloadUnavailable;
import org.spillway.slurm.settings.PendingReasons;

/** Looks at Slurm and says what is missing, again and again: twice a second, and at once when something has changed. */
final class SlurmThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SlurmThread.class);
    private static final Duration PAUSE = Duration.ofMillis(500);
    /** For so long after something was said to Slurm, its answer is awaited: a node that registers, a job that starts. */
    private static final Duration LIVELY = Duration.ofSeconds(15);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(8);
    /** Between two looks, however much is going on. */
    private static final Duration BREATH = Duration.ofMillis(100);
    /** For what is said after each look: what is left is said after the next. */
    private static final Duration FOR_ORDERS = Duration.ofSeconds(3);
    /** A job has its exit code: no look shows it, and to say it is a process of Java's. */
    private static final Duration TAKEN = Duration.ofMinutes(10);
    /** An order that Slurm refused is not said again before. */
    private static final Duration REFUSED = Duration.ofSeconds(30);

    /** The loop's side; called by this thread. */
    interface Port {
        Wanted wanted();

        void seen(SlurmView view);

        void failed(WorkloadUnavailable why);
    }

    /** @param complete whether the head has said all that it knows */
    record Wanted(Map<String, WantedNode> nodes, JobPlan.Wanted jobs, Words words, boolean complete) {}

    /**
     * Knowledge of jobs without Slurm.
     *
     * @param lines of scripts, by Slurm's id
     * @param roomless why lines of jobs are not kept
     * @param left runs that have left their nodes, by key
     */
    record Words(Map<Long, String> lines, Map<Long, String> roomless, Map<String, SlurmRun> left) {}

    private final SlurmCommands commands;
    private final Map<String, Slots.Slot> declared;
    private final SlurmSight sight;
    private final JobBook book;
    private final PendingReasons reasons;
    private final InstantSource clock;
    private final Port port;
    private final Semaphore bell = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closed;
    /** Whether Slurm answered, and had the reservation, when it was last looked at. */
    private volatile boolean reserved;
    /** Partitions of ours in which Slurm gave jobs nodes when it was last looked at. */
    private volatile Set<String> open = Set.of();

    private Map<String, String> slots = Map.of();
    /** Slots that jobs waited for at the last look. */
    private Set<String> named = Set.of();

    private final Missing missing = new Missing();
    private final LaunchHolds holds = new LaunchHolds();
    private final Unhurried unhurried = new Unhurried();
    private final Map<String, String> said = new HashMap<>();
    private final Map<SlurmOrder, Instant> refused = new HashMap<>();

    SlurmThread(
            SlurmCommands commands,
            Map<String, Slots.Slot> declared,
            Partitions partitions,
            JobBook book,
            PendingReasons reasons,
            InstantSource clock,
            Port port) {
        this.commands = commands;
        this.declared = declared;
        this.reasons = reasons;
        sight = new SlurmSight(commands, partitions, book, clock);
        this.book = book;
        this.clock = clock;
        this.port = port;
        thread = Thread.ofPlatform().name("slurm").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    void wake() {
        if (bell.availablePermits() == 0) {
            bell.release();
        }
    }

    private void run() {
        Duration pause = PAUSE;
        long stirred = System.nanoTime() - LIVELY.toNanos();
        while (!closed) {
            long began = System.nanoTime();
            try {
                boolean changed = cycle();
                if (changed) {
                    stirred = began;
                }
                boolean lively = began - stirred < LIVELY.toNanos();
                pause = changed ? BREATH : pause(Duration.ofNanos(System.nanoTime() - began), lively);
            } catch (WorkloadUnavailable e) {
                reserved = false;
                port.failed(e);
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.error("a look at Slurm failed", e);
                port.failed(new WorkloadUnavailable("a look at Slurm failed", e));
                pause = LONGEST_PAUSE;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(BREATH.toMillis());
                if (bell.tryAcquire(pause.minus(BREATH).toMillis(), TimeUnit.MILLISECONDS)) {
                    bell.drainPermits();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** No more than half of the time is spent on asking, and a fifth while something is expected to move. */
    static Duration pause(Duration took, boolean lively) {
        Duration least = lively ? min(PAUSE, max(BREATH, took.multipliedBy(4))) : PAUSE;
        return max(least, took);
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    /** A look, and what follows from it. @return whether something was said */
    private boolean cycle() throws WorkloadUnavailable, InterruptedException {
        Wanted wanted = port.wanted();
        SlurmSight.Look look = sight.look();
        reserved = look.reservation().isPresent();
        open = look.doors().open();
        var seen = new NodePlan.Seen(look.nodes(), look.reservation(), look.doors(), named);
        NodePlan plan = NodePlan.of(declared, wanted.nodes, slots, seen, wanted.complete, look.begun());
        slots = plan.slots();
        missing.look(wanted.nodes, slots, look.nodes(), look.begun());
        List<ForeignJob> jobs = book.jobs(look.items(), circumstances(look, wanted), clock.instant());
        named = Moves.named(jobs, look.items(), book);
        port.seen(view(look, wanted, jobs, plan));
        List<SlurmOrder> orders = new ArrayList<>(plan.orders());
        if (wanted.complete) {
            List<JobPlan.Listed> listed = book.listed(look.items(), wanted.words.roomless);
            said.keySet()
                    .retainAll(listed.stream().map(JobPlan.Listed::commented).collect(Collectors.toSet()));
            // Asked for anew: this look may show that a run which was to be made again has ended by itself.
            JobPlan.Wanted its = port.wanted().jobs();
            JobPlan.Wanted jobsWanted =
                    its.saying(book.postponed(wanted.words.roomless)).refusing(book.refused());
            List<SlurmOrder.Release> releases = holds.look(look, commands::isHeldByLaunch);
            orders.addAll(unhurried.without(
                    JobPlan.of(listed, jobsWanted, said, look.partitions(), look.begun()),
                    listed,
                    its.agains(),
                    releases.stream().map(SlurmOrder.Release::job).collect(Collectors.toSet())));
            orders.addAll(releases);
            book.gone(its.agains()).forEach(job -> orders.add(new SlurmOrder.Requeue(job)));
            // Jobs that waited for their good end have begun: to take the state back as well helps nobody.
            book.endedWell(its.failures().keySet()).forEach(job -> orders.add(new SlurmOrder.ExitCode(job)));
        }
        return say(orders);
    }

    private JobBook.Circumstances circumstances(SlurmSight.Look look, Wanted wanted) {
        Map<String, String> bySlot = new HashMap<>();
        slots.forEach((node, slot) -> bySlot.put(slot, node));
        Set<String> up = new HashSet<>();
        look.nodes().values().stream().filter(SlurmNode::isUp).forEach(node -> up.addAll(node.partitions()));
        return new JobBook.Circumstances(
                bySlot,
                up,
                look.doors().kept(),
                wanted.words.lines,
                DeclaredType.of(declared, look.nodes().values()),
                look.licences(),
                reasons,
                wanted.words.left,
                Moves.engaged(declared.keySet(), look.nodes()));
    }

    private SlurmView view(SlurmSight.Look look, Wanted wanted, List<ForeignJob> jobs, NodePlan plan) {
        Map<String, ForeignJob> byKey = new LinkedHashMap<>();
        jobs.forEach(job -> byKey.put(job.key(), job));
        Map<Long, Long> users = new HashMap<>();
        look.items().forEach(item -> users.put(item.row().id(), item.row().uid()));
        Map<String, String> reachable = new HashMap<>();
        plan.slots().forEach((id, slot) -> {
            WantedNode node = wanted.nodes.get(id);
            SlurmNode its = look.nodes().get(slot);
            if (node != null && its != null && its.address().equals(node.node().address())) {
                reachable.put(id, slot);
            }
        });
        Map<String, SlurmTurn> turns = new HashMap<>();
        reachable
                .keySet()
                .forEach(id -> turns.put(id, new SlurmTurn(look.started().getEpochSecond(), missing.asked(id))));
        return new SlurmView(
                look.begun(),
                wanted.complete && !book.isUnsure(),
                byKey,
                users,
                reachable,
                turns,
                missing.since(),
                plan.vacant(),
                plan.gone(),
                plan.withheld());
    }

    private boolean say(List<SlurmOrder> orders) throws WorkloadUnavailable, InterruptedException {
        Instant now = clock.instant();
        refused.values().removeIf(until -> until.isBefore(now));
        long until = System.nanoTime() + FOR_ORDERS.toNanos();
        boolean changed = false;
        for (SlurmOrder order : orders) {
            if (refused.containsKey(order)) {
                continue;
            }
            Optional<String> answer = commands.say(order);
            if (answer.isPresent()) {
                LOG.warn("Slurm refuses {}: {}", order, answer.get());
                refused.put(order, now.plus(REFUSED));
                continue;
            }
            changed = true;
            if (order instanceof SlurmOrder.Comment comment) {
                said.put(comment.job(), comment.sentence());
            } else if (order instanceof SlurmOrder.ExitCode) {
                refused.put(order, now.plus(TAKEN));
            } else if (order instanceof SlurmOrder.Narrow narrow) {
                book.narrowed(narrow.job());
            }
            if (System.nanoTime() - until > 0) {
                break;
            }
        }
        return changed;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(5));
            // No job of these could begin without a head, whatever nodes are there.
            for (String partition : open) {
                commands.say(new SlurmOrder.Close(partition));
            }
            if (reserved) {
                commands.say(new SlurmOrder.Stay());
            }
        } catch (WorkloadUnavailable away) {
            LOG.info("Slurm does not hear that the head goes: {}", away.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
