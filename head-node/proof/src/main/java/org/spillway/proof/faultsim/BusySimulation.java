package org.spillway.proof.faultsim;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.Loop;
import org.spillway.policy.Money;
import org.spillway.policy.Resources;

/**
 * A calm world with many jobs and nodes, for the time that a tick takes: the production loop over a journal in memory,
 * so that no disk is part of it.
 */
public final class BusySimulation {
    private static final int STEPS_TO_FILL = 2000;
    private static final int STEP_MILLIS = 200;
    private static final int SITES = 2;

    private final SimWorld world;
    private final SimEffects effects;
    private final Journal journal;
    private final Loop loop;

    private BusySimulation(int jobs, int nodes) {
        Draw draw = new Draw(1);
        world = new SimWorld(draw, SITES, nodes / SITES);
        journal = new Journal(world.disk, Instant.MIN);
        submit(jobs);
        effects = new SimEffects(world.clock, draw);
        loop = new Loop(
                SimSetup.settings(world, Money.parse("1000000")),
                journal,
                SimSetup.ports(world, effects, draw),
                world.clock::now);
    }

    /**
     * How long each tick takes while that many jobs wait, of five shapes, and all nodes that the sites may have are up.
     *
     * @param nodes even; one half in each of two sites
     * @param ticks 1 or more to time
     * @throws IllegalStateException if the nodes do not come up
     */
    public static List<Cost> ticks(int jobs, int nodes, int ticks) {
        BusySimulation simulation = new BusySimulation(jobs, nodes);
        simulation.fill(nodes);
        List<Cost> costs = new ArrayList<>();
        for (int i = 0; i < ticks; i++) {
            costs.add(simulation.step());
        }
        return costs;
    }

    /**
     * Of one tick.
     *
     * @param cpuNanos of its thread: other processes hardly change it
     */
    public record Cost(long wallNanos, long cpuNanos) {}

    private Cost step() {
        world.step(STEP_MILLIS);
        effects.step();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();
        loop.tick(world.clock.now());
        return new Cost(System.nanoTime() - begin, threads.getCurrentThreadCpuTime() - cpu);
    }

    private void fill(int nodes) {
        for (int i = 0; i < STEPS_TO_FILL; i++) {
            step();
            int ready = (int) journal.liveNodes().stream()
                    .filter(node -> !node.isDirector() && node.nodeState() == NodeState.READY)
                    .count();
            if (ready == nodes) {
                return;
            }
        }
        throw new IllegalStateException("the nodes did not come up: "
                + journal.liveNodes().stream()
                        .map(NodeRecord::nodeState)
                        .distinct()
                        .toList());
    }

    private void submit(int jobs) {
        List<Entry> batch = new ArrayList<>();
        List<String> sites = List.copyOf(world.sites.keySet());
        for (int i = 0; i < jobs; i++) {
            JobSpec spec = spec("j" + i, sites.get(i % sites.size()), 1 + i % 5 % 4, 3600 + i % 5);
            batch.add(new JobRecord(spec.name(), spec, JobState.SUBMITTED, Cause.NONE, world.clock.now(), JobRun.NONE));
        }
        journal.commit(world.clock.now(), batch);
    }

    private JobSpec spec(String id, String site, int cpus, int seconds) {
        return JobSpec.of(draft -> {
            draft.name = id;
            draft.owner = new JobSpec.Owner("u", 1000, 1000);
            draft.queue = "q";
            draft.sites = List.of(site);
            draft.program = new JobSpec.Program("#!/bin/sh\n", List.of(), Map.of());
            draft.need = new JobSpec.Need(Resources.of(cpus, 1L << 30, 0), 1, Duration.ofSeconds(seconds));
            draft.data = new JobSpec.Data(
                    List.of(), List.of(new JobSpec.Output("out", "/home/u/" + id, false, false)), "/home/u");
            draft.idempotencyKey = JobSpec.Key.of(id);
            draft.submittedAt = world.clock.now();
        });
    }
}
