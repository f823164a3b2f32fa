package org.spillway.scaler.simulate;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.spillway.scaler.simulate.log.LoggedJob;

/** Jobs of a log become jobs of the simulation, by shape: alike to a policy and to those who wait. */
final class Intake {
    private final RunTimes runTimes;
    private final Map<String, Shape> shapes = new HashMap<>();
    private int taken;

    Intake(RunTimes runTimes) {
        this.runTimes = runTimes;
    }

    /** @param tellsUsers whether limits tell the jobs of one user from those of another */
    SimulatedJob take(LoggedJob job, boolean tellsUsers) {
        // By the hour: a shape for each deadline would be a shape for each job.
        Instant due = job.deadline();
        Instant hour = due == null ? null : Instant.ofEpochSecond(Math.floorDiv(due.getEpochSecond(), 3600L) * 3600);
        var key = new Shape.Key(
                job.queue(),
                job.account(),
                tellsUsers ? job.user() : "",
                job.priority(),
                job.perNode(),
                job.nodes(),
                job.walltime(),
                hour);
        Shape shape = shapes.computeIfAbsent(
                key.toString(), text -> new Shape(key, shapes.size(), runTimes.group(job.queue(), sizeClass(job))));
        return new SimulatedJob(
                taken++,
                job.submit().toEpochMilli(),
                job.duration().toMillis(),
                job.priority(),
                due == null ? Agenda.NEVER : due.toEpochMilli(),
                shape);
    }

    /** GPUs (CPUs where there are none) of the whole job, in powers of two. */
    private static int sizeClass(LoggedJob job) {
        int units = job.perNode().gpus() > 0
                ? job.perNode().gpus()
                : -Math.max(1, job.perNode().cpus());
        long all = (long) Math.abs(units) * job.nodes();
        int power = 64 - Long.numberOfLeadingZeros(all);
        return units > 0 ? power : -power;
    }
}
