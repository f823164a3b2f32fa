package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.ForwardingJournalStore;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.limits.QueueLimits;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.head.workload.ForeignJob;
import org.spillway.policy.Money;
import org.spillway.policy.Resources;

/** The production loop with a simulated Slurm, in which only that goes wrong that a test wants. */
final class SlurmStory {
    final SimWorld world;
    final SimSlurm slurm;
    final CountingStore store;
    private final Draw draw = new Draw(1);
    private final Money budget;
    private final QueueLimits limits;
    Journal journal;
    Loop loop;
    private SimEffects effects;
    private SimSlurmPort port;

    SlurmStory(Money budget, SimWorld.Spec... sites) {
        this(budget, QueueLimits.NONE, sites);
    }

    SlurmStory(QueueLimits limits, SimWorld.Spec... sites) {
        this(Money.parse("1000"), limits, sites);
    }

    private SlurmStory(Money budget, QueueLimits limits, SimWorld.Spec... sites) {
        this.budget = budget;
        this.limits = limits;
        world = new SimWorld(draw, List.of(sites));
        world.calm();
        slurm = world.withSlurm(new Draw(2));
        slurm.refusing = false;
        store = new CountingStore(world.disk);
        start();
    }

    SlurmStory(SimWorld.Spec... sites) {
        this(Money.parse("1000"), sites);
    }

    private void start() {
        effects = new SimEffects(world.clock, draw);
        port = new SimSlurmPort(slurm, world.clock, draw);
        journal = new Journal(store, Instant.MIN);
        loop = new Loop(
                SimSetup.settings(world, budget).with(new LoopSettings.Limits(List.of(), null, Long.MAX_VALUE, limits)),
                journal,
                SimSetup.ports(world, effects, draw, port),
                world.clock::now);
    }

    /** Killed, and there again at once. */
    void restart() {
        effects.abandon();
        start();
    }

    /** Whether jobs that are submitted from now on must leave {@code out}. */
    boolean strict;

    /** Whether their standard output goes to a file at home. */
    boolean talking;

    /** A job of one CPU on one node. */
    SimSlurmJob submit(List<JobSpec.Input> inputs, String... sites) {
        return submit(true, inputs, sites);
    }

    SimSlurmJob submit(boolean requeue, List<JobSpec.Input> inputs, String... sites) {
        return slurm.submit(new ForeignJob.Facts(
                "job",
                new JobSpec.Owner("u", 1000, 1000),
                "q",
                List.of(sites),
                new JobSpec.Need(Resources.of(1, 1L << 30, 0), 1, Duration.ofSeconds(60)),
                0,
                requeue,
                new JobSpec.Data(
                        inputs,
                        List.of(
                                new JobSpec.Output("out", "/home/u/out", false, strict),
                                new JobSpec.Output("/home/u/slurm-1.out", "/home/u/slurm-1.out", false, false),
                                new JobSpec.Output("/tmp/elsewhere", "/tmp/elsewhere", false, false)),
                        "/home/u",
                        0,
                        talking ? new JobSpec.Streams("/home/u/slurm-1.out", "") : null),
                world.clock.now(),
                JobSpec.Terms.NONE));
    }

    Optional<JobRecord> record(SimSlurmJob job) {
        return journal.job(SimSlurmHooks.id(job));
    }

    boolean is(SimSlurmJob job, JobState state) {
        return record(job).filter(found -> found.jobState() == state).isPresent();
    }

    List<NodeRecord> nodes(NodeState state) {
        return journal.nodes().stream()
                .filter(node -> !node.isDirector() && node.nodeState() == state)
                .toList();
    }

    void step() {
        world.step(200);
        effects.step();
        port.step();
        loop.tick(world.clock.now());
        slurm.hooks.ask(new SimSlurmHooks.Head() {
            @Override
            public DataAnswer dataIn(String number) {
                return loop.data().in(number);
            }

            @Override
            public DataAnswer dataOut(String number) {
                return loop.data().out(number);
            }
        });
    }

    void pass(Duration time) {
        Instant end = world.clock.now().plus(time);
        while (world.clock.now().isBefore(end)) {
            step();
        }
    }

    /** Lets time pass until it is so. */
    void until(String what, BooleanSupplier isSo) {
        Instant end = world.clock.now().plus(Duration.ofMinutes(5));
        while (!isSo.getAsBoolean()) {
            assertThat(world.clock.now()).as("%s, within five minutes", what).isBefore(end);
            step();
        }
    }

    /** Counts writes with jobs in them. */
    static final class CountingStore extends ForwardingJournalStore {
        int jobWrites;

        CountingStore(JournalStore disk) {
            super(disk);
        }

        @Override
        public void write(Instant at, List<? extends Entry> entries, List<Transition> transitions) {
            jobWrites += entries.stream().anyMatch(JobRecord.class::isInstance) ? 1 : 0;
            super.write(at, entries, transitions);
        }
    }
}
