package org.spillway.scaler.simulate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;

/** Reads the world as time goes by. Changes nothing. */
final class Meter {
    private static final double TAU_MILLIS = 10_000;

    private final boolean gpus;
    private final double homeUnits;
    private final long from;
    private final long until;
    private final int mostSamples;
    private long sampleEvery;
    private final List<SimulationResult.Sample> samples = new ArrayList<>();
    private long last;
    private long nextSample;
    private double homeUnitMillis;
    private double busyUnits;

    /**
     * @param until the last submission; utilisation counts to there
     * @param samples to there; of all the time at most twice as many and one, evenly from the first
     */
    Meter(List<SimulatedNode> home, long from, long until, int samples) {
        this.gpus = home.stream().anyMatch(node -> node.total().gpus() > 0);
        this.homeUnits = home.stream()
                .mapToDouble(node -> gpus ? node.total().gpus() : node.total().cpus())
                .sum();
        this.from = from;
        this.until = Math.max(until, from + 1);
        this.mostSamples = Math.max(2, 2 * samples);
        this.sampleEvery = Math.max(1, (this.until - from) / samples);
        this.last = from;
        this.nextSample = from;
    }

    /** The rest of the world, as far as a sample needs to know it. */
    interface World {
        int waitingJobs();

        int waitingNodes();

        List<List<SimulatedNode>> clouds();

        Money costAt(long now);
    }

    /** A job took or gave back what it has at home. */
    void homeChanged(SimulatedJob job, boolean taken) {
        var perNode = job.shape().perNode;
        double units = (double) job.shape().nodes * (gpus ? perNode.gpus() : perNode.cpus());
        busyUnits += taken ? units : -units;
    }

    /** Called before anything changes at this time. */
    void advance(long now, World world) {
        if (now > last) {
            homeUnitMillis += busyUnits * Math.max(0, Math.min(now, until) - Math.min(last, until));
        }
        while (nextSample < now) {
            samples.add(sample(nextSample, world));
            nextSample += sampleEvery;
            if (samples.size() > mostSamples) {
                halve();
            }
        }
        last = Math.max(last, now);
    }

    /** A long aftermath of the last submission is seen, too, and needs no more room: every other sample stays. */
    private void halve() {
        List<SimulationResult.Sample> kept = new ArrayList<>();
        for (int i = 0; i < samples.size(); i += 2) {
            kept.add(samples.get(i));
        }
        samples.clear();
        samples.addAll(kept);
        sampleEvery *= 2;
        nextSample = from + kept.size() * sampleEvery;
    }

    private SimulationResult.Sample sample(long at, World world) {
        int nodes = 0;
        int busy = 0;
        for (List<SimulatedNode> site : world.clouds()) {
            for (SimulatedNode node : site) {
                nodes++;
                busy += node.phase() == NodeView.Phase.ALLOCATED ? 1 : 0;
            }
        }
        return new SimulationResult.Sample(
                Instant.ofEpochMilli(at),
                world.waitingJobs(),
                world.waitingNodes(),
                homeUnits == 0 ? 0 : busyUnits / homeUnits,
                nodes,
                busy,
                world.costAt(at));
    }

    double homeUse() {
        return homeUnits == 0
                ? 0
                : homeUnitMillis / homeUnits / Duration.ofMillis(until - from).toMillis();
    }

    List<SimulationResult.Sample> samples() {
        return samples;
    }

    static SimulationResult.Waits waits(List<SimulatedJob> jobs) {
        long[] waits = jobs.stream()
                .filter(SimulatedJob::hasEnded)
                .mapToLong(SimulatedJob::waited)
                .sorted()
                .toArray();
        double[] slowdowns = jobs.stream()
                .filter(SimulatedJob::hasEnded)
                .mapToDouble(job ->
                        Math.max(1, (job.waited() + job.duration()) / Math.max(TAU_MILLIS, (double) job.duration())))
                .sorted()
                .toArray();
        if (waits.length == 0) {
            return new SimulationResult.Waits(0, 0, 0, 0, 1, 1);
        }
        return new SimulationResult.Waits(
                Arrays.stream(waits).average().orElse(0) / 1000,
                waits[at(waits.length, 50)] / 1000.0,
                waits[at(waits.length, 95)] / 1000.0,
                waits[waits.length - 1] / 1000.0,
                Arrays.stream(slowdowns).average().orElse(1),
                slowdowns[at(slowdowns.length, 95)]);
    }

    /** Nearest rank. */
    private static int at(int count, int percent) {
        return Math.max(0, (int) (((long) count * percent + 99) / 100) - 1);
    }
}
