package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.spillway.api.JobState;
import org.spillway.cloud.RateLimits;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Loop;
import org.spillway.policy.Money;
import org.spillway.policy.Resources;

/**
 * A calm world with one site whose provider counts calls, for the pace of the production loop's listings: what a listing
 * of that provider is made of, and what it allows, is told.
 */
public final class CallsSimulation {
    private static final int STEP_MILLIS = 500;
    private static final int STEPS_TO_FILL = 2400;
    /** The longest from a call's beginning to the provider, of which a listing may have more than the one before it. */
    private static final Duration WIRE = Duration.ofMillis(SimEffects.WIRE_MILLIS_MAX);

    private static final Duration MEASURED = Duration.ofMinutes(1);
    private static final Duration SETTLED = Duration.ofSeconds(45);
    /** Longer than the simulation. */
    private static final Duration BOOT = Duration.ofHours(1);

    private final SimWorld world;
    private final SimEffects effects;
    private final Journal journal;
    private final Loop loop;
    private final SimSite site;
    private final CountedListings counted;

    private CallsSimulation(RateLimits limits, int callsPerListing, int machines) {
        Draw draw = new Draw(1);
        world = new SimWorld(draw, 1, machines);
        site = world.sites.values().iterator().next();
        site.runsLong = true;
        counted = new CountedListings(site.provider, world.clock, callsPerListing, limits);
        site.counted = counted;
        journal = new Journal(world.disk, Instant.MIN);
        effects = new SimEffects(world.clock, draw);
        loop = new Loop(
                SimSetup.settings(world, Money.parse("1000000")),
                journal,
                SimSetup.ports(world, effects, draw),
                world.clock::now);
    }

    /**
     * Calls of listings in a minute while that many machines boot.
     *
     * @param callsPerListing pages and the like, 1 or more
     * @throws IllegalStateException if the machines are not launched
     */
    public static int booting(RateLimits limits, int callsPerListing, int machines) {
        CallsSimulation simulation = new CallsSimulation(limits, callsPerListing, machines);
        // Of what has never come up only so many are launched at a time.
        simulation.submit(0, 1);
        simulation.untilTheyRun(1);
        simulation.site.provider.boot = BOOT;
        simulation.submit(1, machines - 1);
        simulation.until(() -> simulation.site.nodes() >= machines);
        int before = simulation.counted.listings.size();
        simulation.pass(MEASURED);
        return (simulation.counted.listings.size() - before) * callsPerListing;
    }

    /**
     * The most listings in any {@code window} of a minute in which that many machines run jobs and nothing is expected.
     *
     * @throws IllegalStateException if the jobs do not run
     */
    public static int steady(RateLimits limits, int callsPerListing, int machines, Duration window) {
        CallsSimulation simulation = new CallsSimulation(limits, callsPerListing, machines);
        simulation.submit(0, machines);
        simulation.untilTheyRun(machines);
        simulation.pass(SETTLED);
        Instant from = simulation.world.clock.now();
        simulation.pass(MEASURED);
        List<Instant> listings = simulation.counted.listings.stream()
                .filter(at -> at.isAfter(from))
                .toList();
        int most = 0;
        for (Instant first : listings) {
            int in = (int) listings.stream()
                    .filter(at -> !at.isBefore(first)
                            && at.isBefore(first.plus(window).minus(WIRE)))
                    .count();
            most = Math.max(most, in);
        }
        return most;
    }

    private interface Condition {
        boolean holds();
    }

    private void untilTheyRun(int jobs) {
        until(() -> journal.jobs(JobState.RUNNING).size() == jobs);
    }

    private void until(Condition condition) {
        for (int i = 0; i < STEPS_TO_FILL; i++) {
            if (condition.holds()) {
                return;
            }
            step();
        }
        throw new IllegalStateException("the machines do not come: " + site.nodes() + " are there, and "
                + journal.jobs(JobState.RUNNING).size() + " jobs run");
    }

    private void pass(Duration time) {
        Instant end = world.clock.now().plus(time);
        while (world.clock.now().isBefore(end)) {
            step();
        }
    }

    private void step() {
        world.step(STEP_MILLIS);
        effects.step();
        loop.tick(world.clock.now());
    }

    /** Each job needs a machine for itself. */
    private void submit(int from, int jobs) {
        List<Entry> batch = new ArrayList<>();
        for (int i = from; i < from + jobs; i++) {
            String id = "j" + i;
            JobSpec spec = JobSpec.of(draft -> {
                draft.name = id;
                draft.owner = new JobSpec.Owner("u", 1000, 1000);
                draft.queue = "q";
                draft.sites = List.of(site.name);
                draft.program = new JobSpec.Program("#!/bin/sh\n", List.of(), Map.of());
                draft.need = new JobSpec.Need(Resources.of(SimProvider.CPUS, 1L << 30, 0), 1, Duration.ofHours(1));
                draft.data = new JobSpec.Data(
                        List.of(), List.of(new JobSpec.Output("out", "/home/u/" + id, false, false)), "/home/u");
                draft.idempotencyKey = JobSpec.Key.of(id);
                draft.submittedAt = world.clock.now();
            });
            batch.add(new JobRecord(spec.name(), spec, JobState.SUBMITTED, Cause.NONE, world.clock.now(), JobRun.NONE));
        }
        journal.commit(world.clock.now(), batch);
    }
}
